// Package crash turns a panic into what a log may hold: what kind of mistake, and where. A panic's value may have bytes of
// a request in it, so it is never kept, but for the texts of the runtime's own errors, which hold numbers and types.
//
// Invariants:
//
//  1. No value of a panic is in a report, nor in what is printed when a report itself is never recovered
//     (TestAReportHasNoValue).
//  2. A report says where the panic was, also when it went on in another goroutine (TestAPanicGoesOnWhereOneWaits).
package crash
