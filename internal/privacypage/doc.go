// Package privacypage holds the document about what is recorded, docs/privacy.md, to the definitions of logs and metrics.
//
// Invariants:
//
//  1. docs/privacy.md has every key of the log, every metric's labels and every span's attributes, each with where its values come from (TestDocsPrivacy).
//  2. Every label that a metric has is explained (TestDocsPrivacy).
package privacypage
