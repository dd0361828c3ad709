// Package tracing records requests as OpenTelemetry traces and exports them by OTLP. It is the home of the OpenTelemetry
// SDK.
//
// Invariants:
//
//  1. Spans hold names and attributes of [Attributes] alone, with values from closed sets, the caller's catalog or the
//     operator's settings (TestSpansHoldNothingElse, TestNoMarkedValueIsExported).
//  2. The caller's trace context decides what is recorded, unless the operator says otherwise; one that isn't valid is
//     as good as none, and no tracestate is exported (TestTheCallerDecidesWhatIsRecorded, TestAnInvalidTraceContextIsIgnored).
//  3. No request waits for the exporter: what the queue has no room for is dropped and counted (TestAFullQueueDropsAndCounts).
//  4. Close exports what is there, and gives up at its deadline (TestCloseExportsWhatIsThere, TestCloseEndsAtItsDeadline).
package tracing
