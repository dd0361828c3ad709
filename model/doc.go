// Package model turns texts into vectors with static embedding models (the Model2Vec form): a tokenizer, a table with
// one row for each token, and the mean of a text's rows. It knows no index and no MCP.
//
// There are two forms on disk. [Packed] reads one file with rows of four bits; the model in the binary has it (package
// defaultmodel). [Load] reads a folder that model2vec 0.10.0 saved, such as potion-multilingual-128M, which package fetch
// downloads. Only Unigram tokenizers can be read: other types need other searches and no multilingual model in sight has one.
//
// Invariants:
//
//  1. A loaded model gives the reference implementation's token ids, and its vectors within 1e-5
//     (TestLoadedModelsAreTheReferenceImplementations; make test-model does the same on other texts). The sums run in the
//     reference's order and precision, so that they mostly are the same to the last bit. Texts are limited first by
//     characters, then by tokens, then unknown tokens are dropped (TestTheLimitCountsUnknownTokens).
//  2. The packed form gives what an independent reader gives (TestTheEmbeddedModelIsTheIndependentReaders).
//  3. Tables are read in place: no table is in memory twice or wider than in its file
//     (TestLoadingCopiesNoTable, TestARowFileIsReadOnce).
//  4. Equal texts have equal vectors, in any order and from any number of goroutines, and a unit model's vectors are one
//     long or zero (TestEmbedIsDeterministicAndSafeForConcurrentUse, FuzzEmbed, FuzzTokenizer).
//  5. Once warm, Embed allocates nothing (TestEmbedAllocatesNothing).
//  6. Invalid UTF-8 counts as U+FFFD, one for each maximal ill-formed part (TestInvalidTextIsReplacedAsDecodersDo).
//  7. Files that can't be used are refused with the file, what is wrong and what to do, whatever their bytes
//     (TestUnusableModelsAreRefused, TestUnusablePackedModelsAreRefused, FuzzPacked, FuzzTokenizer, FuzzSafetensors).
//
// Known differences from the reference: characters newer than Unicode 15 may be classed otherwise (each library has its
// own Unicode version); a character that a vocabulary without an unknown piece doesn't have is dropped, where the
// reference fails; regular expressions of the Replace normalizer must be ones that Go's regexp can read.
package model
