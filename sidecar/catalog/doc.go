// Package catalog keeps each caller's tools: listed as that caller, judged,
// indexed, and kept for a while. It is the home of golang-lru.
//
// A Store answers from memory while a catalog is fresh, serves a stale one
// while it is listed again in the background, and lists before answering when
// there is none or it is too old. A Catalog is an immutable view: callers
// whose listings are byte-identical share one judged and indexed body.
//
// Invariants, and the tests that hold them:
//
//  1. A catalog belongs to one key: identity headers, target, era. Nobody sees,
//     finds or gets a hint of another caller's tools
//     (TestCallersNeverSeeEachOther).
//  2. A tool is a read only when its server says readOnlyHint true and doesn't
//     say it destroys, or when the operator lifts one that says nothing; the
//     operator's write list always wins; whatever can't be read is a write
//     (TestWhichDoorAToolRunsThrough, TestABrokenWritePatternMakesEverythingAWrite,
//     FuzzParseTool).
//  3. One listing per key at a time; one who leaves doesn't disturb the others,
//     and when all have left it is cancelled (TestManyWaitForOneListing,
//     TestOneWhoLeavesDoesNotDisturbTheOthers, TestWhenAllLeaveTheListingIsCancelled).
//  4. Nothing older than MaxStale is served (TestAfterMaxStaleACatalogIsListedBeforeTheAnswer,
//     TestAFailureKeepsTheStaleCatalogUntilMaxStale).
//  5. Errors are remembered for NegativeTTL only; 401 and 403 drop the catalog
//     (TestErrorsAreRememberedForAMoment, TestALoginForgetsTheCatalog,
//     TestForgetDropsACatalogAndTheListingOnItsWay,
//     TestWhoAsksAfterForgetGetsALaterListing).
//  6. Callers, bytes and remembered failures are bounded, and failures evict no
//     catalog (TestTheLeastRecentlyUsedCallerLeavesFirst, TestBytesAreBounded,
//     TestStrangersFailuresEvictNobody).
//  7. Equal listings are built once while somebody holds them, and let go with
//     the last holder (TestEqualListingsShareOneBuild).
//  8. Every listing runs in a goroutine that Close ends and waits for
//     (TestCloseEndsEverything, and goleak in TestMain).
//  9. What the operator's overlay hides is in no catalog, and a changed overlay
//     reaches kept catalogs before SetOverlay returns, and listings on their way
//     (TestAHiddenToolIsNowhere, TestAChangedOverlayReachesKeptCatalogs,
//     TestAnOverlayThatChangesDuringAListingCounts).
//  10. A tool that was listed before, byte for byte, is not parsed, compiled or
//     indexed again, and that makes no difference to the catalog
//     (TestAToolThatIsListedAgainIsNotReadAgain,
//     TestAListingBesideAnEarlierOneIsTheSame).
//  11. No more are listed at a time, or wait for that, than the queue takes; who
//     is refused may try again at once; what is kept is served all the same
//     (TestListingsBeyondTheQueueAreRefused, TestWhoLeavesTheQueueMakesRoom,
//     TestWhatIsKeptIsServedWhileListingsAreRefused,
//     TestAListingThatWaitsForItsTurnHasItsWholeTime).
//  12. When memory is short the least used catalogs leave
//     (TestShrinkDropsTheLeastUsedFirst).
//  13. What catalogs are said to take is what they take, and compiled schemas are
//     bounded beside them (TestTheEstimateIsWhatCatalogsTake,
//     TestCompiledSchemasAreBoundedAndCompiledAgain).
//
// Locks: the store's is taken before that of the builds, never the other way;
// none is held while listing, indexing or telling the Observer.
package catalog
