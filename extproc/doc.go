// Package extproc is the Envoy door: one gRPC stream of Envoy's ext_proc filter for one HTTP request, one decision of
// the engine, carried out as header and body mutations or an immediate response.
//
// Invariants:
//
//  1. The stream ends as soon as its work is done, so that long answers survive a restart of the sidecar
//     (TestALongAnswerOutlivesTheDoor), and no answer suffers from it (TestNoAnswerIsLostUnderLoad). Only a full-duplex
//     answer is held to its end: Envoy loses chunks otherwise (TestFullDuplexLosesNothingUnderLoad).
//  2. The stream never ends well before the request was answered: Envoy would then carry the unmodified request on.
//     Every unusual end is a gRPC error (TestEveryUnusualEndIsAnError).
//  3. A replaced body always comes with its length, or without one where it is streamed (TestAForwardedCallSetsContentLength,
//     TestAnswersComeBackThroughEnvoy).
//  4. Of an answer only what may need an edit is copied: a JSON body up to the edit limit, or an SSE stream through its
//     first event; everything else leaves the sidecar at its headers (TestOnlyTheFirstEventIsCopied,
//     TestAHeldAnswerStaysWithinTheLimit).
//  5. Nothing unseen goes on: a body that can't be decided as a whole is refused (TestTheDoorAnswersEnvoyAsWritten); and
//     nothing held is lost, however an answer comes in pieces (FuzzNoByteIsLost).
//  6. No value of a request or an answer is logged (TestNoValueIsLogged).
//  7. Work ends with the stream (TestAClientThatLeavesEndsTheDecision), and a stopping sidecar cuts no call that only
//     waits for its upstream (TestACallThatWaitsOutlivesTheDoor, TestAStopLeavesStreamsThatOnlyWait).
//  8. A request for which there is no room is answered with 503 and Retry-After, and never carried on
//     (TestStreamsThatAreTooManyAreToldToComeAgain, TestBodiesThatAreTooMuchAreToldToComeAgain,
//     TestTooMuchWorkThroughEnvoy).
//  9. Who connects by TLS is let in by certificate and name, and no rotation cuts anything (TestARotatedCertificateBreaksNothing,
//     TestAnEnvoyThatIsNotLetInIsTold); a unix socket lets in whom its permissions name (TestASocketLetsInWhoItsPermissionsName).
//
// The filter's configuration decides what works: request_body_mode BUFFERED or FULL_DUPLEX_STREAMED, and
// allow_mode_override for edits of answers. Anything else is named in the log (TestUnsupportedModesAreLoggedOnce,
// TestBodiesThatNeverComeAreLoggedOnce).
package extproc
