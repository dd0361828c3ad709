package search

// Near returns up to five names near an unknown name, best first.
func (ix *Index) Near(name string) []string { return nil }

func (ix *Index) nearTerms(unknown []string) []string { return nil }
