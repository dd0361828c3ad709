// Package argcheck says whether a call's arguments fit a tool's input schema,
// and if not, what to change: every fault with its path, in sentences a model
// can act on. And it repairs the one fault that clients make for the model,
// an object or array sent as JSON text.
//
// The schema comes from an upstream, the arguments from a model; neither is
// trusted. When in doubt a call is let through: the upstream checks as well,
// and a tool that can't be called for a strange schema is worse than one more
// refusal from upstream.
//
// Invariants, and the tests that hold them:
//
//  1. Nothing is ever fetched, from the web or from disk: references stay in
//     the document (TestNothingIsFetched, TestCompileRefuses).
//  2. What isn't understood refuses nothing: a schema that doesn't compile, a
//     pattern that Go can't run, a format
//     (TestASchemaThatDoesNotCompileFindsNothing,
//     TestAnUncertainPatternRefusesNothing, TestCheckOrdersAndCompares).
//  3. The work is bounded, for schemas and arguments made to take long:
//     Compile refuses what is too large or applies itself, and Check lets
//     through what would take too long, and says so (TestHostileSchemasEndSoon,
//     TestWhatIsTooDearToCheckIsLetThrough,
//     TestTheMeterCountsAtLeastWhatTheLibraryDoes). Only the faults that are
//     told are put into words, so the texts of a hundred thousand faults cost
//     what those of thirty do (TestTheWordsOfManyFaultsCostNoMoreThanThoseOfFew,
//     TestTheWordsAreBoundedWhateverTheyAreAbout).
//  4. Numbers are compared exactly: no integer is rounded (TestCheckOrdersAndCompares,
//     TestNumber).
//  5. No text shows a value of the arguments, and all texts are short
//     (TestTextsStayShortAndShowNoValue, TestManyProblemsAreCut).
//  6. Repair never touches a value whose place may hold text, and leaves all
//     other bytes as they are; text inside decoded text stays text
//     (TestRepair, TestRepairKnowsThePlace, TestRepairNeverTouchesWhatMayBeText, FuzzRepair).
//  7. The same arguments have the same problems, in the same order (FuzzCheck).
//  8. One Schema serves many goroutines (TestOneSchemaServesManyGoroutines).
//
// Two readings are ours. Formats are annotations in every draft, since
// servers disagree on them. And of a $schema that names no known draft we
// assume 2020-12.
package argcheck
