// Command mcp-toolsearch puts five meta-tools in front of any number of MCP tools: as Envoy's ext_proc sidecar, as
// a server over HTTP or stdio that merges MCP servers itself, and as a tool to look at what a search finds.
//
// Invariants:
//
//  1. One [Settings] struct holds every option; flags, environment variables and docs/configuration.md are derived
//     from its tags (TestDocsConfiguration). No other package reads the environment.
//  2. All mistakes in the options are reported at once, each with what to set (TestAllMistakesAreReportedAtOnce).
//  3. SIGTERM and SIGINT drain: not ready, streams end, listings end, exit 0 (TestServeDrainsOnSIGTERM).
//  4. A listing that fails is told in the log once a minute for each kind, with what to do (TestAListingThatFailsIsToldOnceAMinuteForEachKind).
//  5. The demo needs nothing else, checks every answer and is over in two seconds (TestTheDemoPlaysInSeconds,
//     TestADemoThatGoesWrongFails).
//  6. What earlier programs were told by variables and flags means the same here (TestServersOfVariables in package
//     sidecar/servers, TestTheEnvFileOfTheComposeFileStartsOurProgram, TestWhereTheHTTPDoorIs, TestScripts).
//  7. Of merged servers each gets its own credentials, and callers see their own tools
//     (TestCallersOfMergedServersKeepTheirOwnTools, TestWithoutCallersTokensThereIsNothingToLogInTo).
//  8. With stdio nothing listens, whatever the settings say, and nothing but the protocol goes to stdout
//     (TestStdioListensNowhere, TestScripts).
package main
