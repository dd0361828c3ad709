// Package servers says which MCP servers there are to merge, and what goes to
// each: from the variables that people already have, and from the mcpServers
// file that their clients already use. It opens no connection and starts no
// process.
//
// Invariants, and the tests that hold them:
//
//  1. No header, token, argument, environment value or URL query of a server
//     leaves through a formatting verb, a log record or an encoder, and no
//     mistake or warning repeats one (TestNothingSecretIsPrinted,
//     TestMistakesRepeatNoValue, TestServersOfVariables).
//  2. A file with anything in it that is not understood is refused as a whole,
//     all mistakes together, each with its line (TestMistakesRepeatNoValue,
//     TestAllMistakesOfAFileAreToldTogether, FuzzParse).
//  3. An entry of a variable that can't be used is a warning and skipped; the
//     others keep their places and tokens (TestServersOfVariables, FuzzFromEnv).
//  4. A server's name doesn't change when another one is added behind it
//     (TestNamesOfURLs).
//  5. Callers' tokens reach one origin, unless the operator says otherwise
//     (TestWhatIsWrongWithAList).
//  6. A changed file is read again; a bad one is told once and the old servers
//     stay (TestAChangedFileIsReadAgain, TestABadFileKeepsTheOldOne).
//  7. Files of certificates that a server names can be used when its entry is
//     read, or are a mistake with its line (TestCertificatesOfAServerAreRead).
package servers
