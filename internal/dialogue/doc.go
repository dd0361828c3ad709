// Package dialogue plays dialogues of a client through any door and compares what comes back, message by message and
// byte by byte, with what the dialogue's file says. The same files play through all doors, so that doors can't differ.
//
// A file is in txtar form. Its comment says what it shows; its sections, of which ask.jsonl alone must be there:
//
//	upstream.json   how the scripted server behaves ([Upstream])
//	tools.jsonl     its tools, one on a line
//	scripts.jsonl   how tools answer: {"tool": name, and the fields of upstreamtest.Script}
//	replies.jsonl   what the client answers to requests of the server's: {"method": m, "result": {…}}
//	ask.jsonl       the client's messages, without an era
//	modern.jsonl    every message that the client gets, in order; and legacy.jsonl. -update-dialogues writes both.
//	                The answer to initialize is in it only where the server has instructions
//
// Invariants:
//
//  1. A section that isn't known is an error, so that nothing goes unplayed (TestAnUnknownSectionIsAnError).
//  2. What comes back is compared as it is; only white space between JSON tokens is dropped (TestDialoguesInProcess).
//  3. A dialogue that lacks an answer fails: silence is no agreement (TestADialogueWithoutAnswersFails).
package dialogue
