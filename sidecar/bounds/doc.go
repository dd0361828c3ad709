// Package bounds says no when there is too much work: how many at once, who waits, how much memory.
//
// Invariants:
//
//  1. A gate never lets more in than fit, and what was let in and has left makes room again
//     (TestAGateLetsInWhatFits, TestAGateUnderManyHands).
//  2. Whoever is refused is counted (TestAGateLetsInWhatFits, TestAQueueIsShort).
//  3. A queue holds so many for so long, none whose context has ended, and lets no more work than there is room for
//     (TestAQueueIsShort, TestAQueueHasRoomForSoMuch).
//  4. The memory that may be used is known from the runtime or the control group, and what is kept leaves while live
//     memory is over its mark (TestTheBudgetIsAShareOfTheLimit, TestAWatchSheds).
package bounds
