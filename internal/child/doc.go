// Package child runs other programs for tests and for the demo: it starts one, keeps what it prints, and ends it.
//
// Invariants:
//  1. A child never outlives its parent: Stop and Kill end its whole process group, and on Linux the kernel ends it when
//     the parent dies in any way (TestTheChildDiesWithItsParent).
//  2. Reading a child's log is always safe, also while it runs (TestTheLogCanBeReadWhileTheChildRuns).
//  3. Wait, Stop and Kill may be called in any order and any number of times (TestEndingTwiceIsHarmless).
package child
