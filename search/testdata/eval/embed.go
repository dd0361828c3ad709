// Package evaldata embeds the evaluation catalog of made-up tools and its
// questions, so that a program can serve them without the source tree.
//
// It lies under testdata because it is data first; internal/evalcatalog parses
// it and its tests hold the data's promises.
package evaldata

import _ "embed"

// Tools is tools.jsonl: one tool a line.
//
//go:embed tools.jsonl
var Tools []byte

// Questions is questions.jsonl: one question a line.
//
//go:embed questions.jsonl
var Questions []byte
