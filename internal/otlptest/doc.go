// Package otlptest is a receiver of OpenTelemetry traces by OTLP over HTTP, for tests.
//
// Invariants:
//
//  1. What it gives is what came: the spans as decoded, and the bytes before that (TestWhatCameIsGiven).
package otlptest
