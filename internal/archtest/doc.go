// Package archtest holds the house rules of this tree: who may import whom, how long a file or function may be, what is
// documented, which names and texts stay out, that fuzz targets keep a corpus. ARCHITECTURE.md states the import order; this package reads it from there.
//
// Invariants:
//  1. The project's own tree keeps every rule (TestTheTreeKeepsTheHouseRules).
//  2. Every rule can fail, and its message says what to change (TestEachRuleCanFail).
//  3. Folders that are no part of the module (testdata, tools, .cache) are not looked at (TestForeignFoldersAreLeftOut).
package archtest
