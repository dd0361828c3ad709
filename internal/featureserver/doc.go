// Package featureserver is a small real MCP server, on the go-sdk, with one of everything that a proxy may break: tools
// that report progress, log, ask the user or the model, answer with a picture, wait to be cancelled; prompts, resources,
// completion, subscriptions.
//
// Invariants:
//  1. A tool behaves the same in both eras; only how it asks the client differs (TestTheServerDoesWhatItsToolsSay).
//  2. Cancelled counts the calls of wait_for_cancel whose context ended before their time (TestACancelledCallIsCounted).
package featureserver
