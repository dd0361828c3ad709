// Package licences reads the licences of the modules that this project builds with, from the module cache, and those of
// the Python and Node packages that its tests, demo and benchmarks install.
//
// Invariants:
//  1. Every module that any package or test of ours builds with has a licence that suits a MIT program and is recognised by
//     its text; an unknown one fails (TestEveryModuleHasASuitableLicence, TestTextsAreRecognised). So do the modules of every
//     other go.mod here (TestEveryModuleOfTheOtherGoModsHasASuitableLicence), and by what they say of themselves the packages
//     of pip and npm, where they are installed (TestEveryInstalledPackageHasASuitableLicence, TestLicencesOfPackagesAreRead).
//  2. NOTICE lists the modules that are linked into the product, with their licences, and says what the embedded model is
//     made of, as model/default/NOTICE has it (TestNoticeListsTheShippedModules).
package licences
