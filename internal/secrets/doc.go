// Package secrets looks for credentials that were committed by mistake.
//
// Invariants:
//  1. No tracked file of the project holds anything that looks like a credential (TestNoSecretIsCommitted).
//  2. Each known kind is found, and what only resembles one is not (TestSecretsAreFound, TestWhatOnlyLooksLikeOneIsLeft).
//  3. A finding never prints the credential itself (TestAFindingDoesNotPrintTheSecret).
package secrets
