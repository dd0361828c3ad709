// Package benchmarks measures what the product promises, as ratios in one run against a named peer or floor. It holds
// no product code; make bench runs it.
//
// Invariants:
//
//  1. Figures come from live definitions and answers, never from constants (BenchmarkTokens).
//  2. What README.md says of tokens is what is measured (TestTheReadmeSaysWhatIsMeasured), and never less than 97 %
//     saved at 500 tools (TestTokensSavedAtFiveHundredTools).
//  3. Size, start and memory are those of the built binary, run as a process (BenchmarkProcess).
package benchmarks
