// Package inverseshim is a proxy for tests that turns every direct call of a tool into a call of call_write_tool. A suite
// that knows nothing of tool search then exercises the whole path of a rewritten call.
//
//	suite ─▶ shim ─▶ search route (direct calls refused) ─▶ upstream
//	           └─ tools/list ─▶ upstream
//
// Invariants:
//  1. Only the name and the arguments of a tools/call change; every other byte of a body stays (TestOnlyNameAndArgumentsChange).
//  2. A wrong header stays wrong: Mcp-Name is exchanged only when it was right (TestAWrongNameStaysWrong).
//  3. What is no well-formed tools/call passes unchanged (TestOthersPassUnchanged).
package inverseshim
