// Package setup brings what tests and the demo need beyond Go into the project's ignored folder .cache: Python packages,
// Node packages, a Node 22 binary. It never touches the user's own Python or Node environment.
//
// Invariants:
//  1. Versions are pinned by files in the tree; a changed file means a new install (TestAChangedListIsInstalledAgain).
//  2. An install is seen whole or not at all: it happens beside and is renamed into place, under a lock that holds
//     across processes (TestAFailedInstallLeavesNothing).
//  3. What is missing is an *Missing that says what to install (TestMissingSaysWhatToInstall).
package setup
