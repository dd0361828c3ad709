// Package caller says who asks: a key to look a caller up by, and the headers
// to pass on when something is asked in the caller's name. Nothing in it can
// be printed.
//
// A caller is known by its identity headers only (Authorization unless the
// operator names others). Two requests with the same values, in the same
// order, are the same caller; nothing else about a request counts.
//
// Invariants, and the tests that hold them:
//
//  1. A header value never leaves through a formatting verb, a log record, an
//     encoder or a reflecting printer, also not from inside another struct
//     (TestATokenIsNeverPrinted, TestATokenIsNeverLogged,
//     TestATokenIsNeverEncoded).
//  2. A key tells nothing outside this process: it is an HMAC under a random
//     key that each Identifier draws for itself
//     (TestKeysOfTwoIdentifiersDiffer).
//  3. Two different sets of headers never share a key because their names or
//     values run together (TestHeadersThatRunTogetherHaveDifferentKeys,
//     FuzzIdentify).
//  4. Apply sets what was identified and nothing else, and leaves no identity
//     header of somebody else behind (TestApply).
package caller
