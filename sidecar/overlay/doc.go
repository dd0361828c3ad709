// Package overlay reads what an operator says about tools beside what their
// servers say: other words for them, which to hide, which to put first, whose
// they are. It is the home of the YAML library, and knows no catalog.
//
// Invariants, and the tests that hold them:
//
//  1. A file with anything in it that is not understood is refused as a whole,
//     with the line and what to write instead (TestABadFileSaysWhatIsWrong,
//     FuzzParse).
//  2. Later rules add to earlier ones: aliases join, hide and pin stay once set,
//     the last source counts (TestRulesOfOneToolJoin).
//  3. A changed file is read again; a bad one is told once and the old one stays
//     (TestAChangedFileIsReadAgain, TestABadFileKeepsTheOldOne).
//  4. Watch runs in the goroutine of its caller and ends with its context
//     (TestWatchEndsWithItsContext).
package overlay
