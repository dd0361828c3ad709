package text

// Synonyms returns other stems that mean the same in talk about tools.
func Synonyms(stem string) []string { return nil }
