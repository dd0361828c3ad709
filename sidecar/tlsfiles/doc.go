// Package tlsfiles keeps TLS certificates, keys and authorities current with the files that hold them. Whoever issues
// certificates today renews them every few weeks or hours, and a renewal must cost no connection and no restart.
//
// The files are looked at every so often and compared by content: a mounted Secret changes by a link, and neither its
// time nor a watch of the file tells that reliably.
//
// Invariants, and the tests that hold them:
//
//  1. What can't be used never takes the place of what works: the pair and the authorities from before stay, and one
//     line says why (TestABadFileKeepsWhatWasThere).
//  2. Certificate, key and authorities change together, and only when the new ones fit each other; files that are caught
//     half written are looked at again before anything is said (TestHalfWrittenFilesAreWaitedFor).
//  3. A change reaches the next handshake and cuts no connection that stands (TestAChangeReachesTheNextHandshake,
//     TestAChangedAuthorityReachesTheNextConnection).
//  4. Where client certificates are asked for, none passes without one of the authorities and of the names given, also
//     when a session is resumed (TestWhoMayConnect).
//  5. No mistake repeats anything of a file (TestMistakesOfFiles).
//  6. That a certificate ends is said once before, once when it has ended, and always as a number
//     (TestTheEndIsSaidBefore).
//  7. Why a handshake failed is one of a closed set of reasons, each with what to do (TestWhyAHandshakeFailed).
package tlsfiles
