// Package logline says what the log may hold: every key, what it means and where its values come from.
//
// Invariants:
//
//  1. A key that is not defined here is not written, nor a value that its definition doesn't allow: both are withheld, by
//     the handler that the program logs through (TestWhatIsNotDefinedIsWithheld).
//  2. Every key that the product logs is defined, and every defined one is logged (TestTheKeysAreThoseOfTheCode).
//  3. A message is a constant of the code (TestMessagesAreConstants).
//  4. docs/privacy.md has all keys (TestDocsPrivacy in package internal/privacypage).
package logline
