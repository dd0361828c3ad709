// Package errorpage is docs/errors.md as data: every refusal, fault and limit, with its cause, its HTTP status in each
// era, its JSON-RPC code, its text and the next step. The page is made from it; nothing of the product uses it.
//
// Invariants:
//
//  1. The pages, docs/errors.md and docs/limits.md, are what the tables say (TestDocsErrors, TestDocsLimits).
//  2. Every reason in the code has a row, and every row a reason in the code (TestEveryReasonHasARow).
//  3. Every row of a request happens as it says: its request is played in both eras, and status, code and text are
//     compared (TestEveryRowHappens).
//  4. The limits are the defaults of the settings they name (cmd/mcp-toolsearch holds them).
package errorpage
