// Package fetch downloads a model's files: potion-multilingual-128M, pinned to one revision, from its hub or from any
// folder on the web that has the same files.
//
// Invariants:
//
//  1. A file gets its name only when its size and its SHA-256 digest are right, in one rename; until then it is
//     NAME.part (TestAWrongFileNeverGetsItsName).
//  2. What has arrived is not fetched again, neither after a cut connection nor by the next run
//     (TestACutDownloadGoesOnWhereItStopped, TestTheNextRunGoesOnWhereThisOneStopped); a server that can't go on sends the
//     whole file (TestAServerWithoutRangesSendsAllAgain).
//  3. A server that says nothing for a while is asked again; one that gives nothing several times in a row is given up
//     (TestASilentServerIsAskedAgain, TestAServerThatGivesNothingIsGivenUp). The context ends everything at once
//     (TestTheContextEndsADownload).
//  4. No more than the expected bytes are ever written (TestAnEndlessAnswerIsCutOff).
//  5. Every error says what happened to which file and what to do next (TestErrorsSayWhatToDo).
package fetch
