package search

// Parameter is one input of a tool as far as search reads it.
type Parameter struct {
	Name, Description string
	// Enum holds the values the parameter is limited to; nil when it is free.
	Enum []string
}

// Document is one tool as text.
type Document struct {
	// Name is the exact name by which the tool is called.
	Name string
	// Source is the server the tool belongs to, as people name it; "" when unknown.
	Source string
	// Title is the name for people; "" when there is none.
	Title string
	// Aliases are further names and words that people know the tool by.
	Aliases []string
	// Description is the tool's own description, of any length.
	Description string
	// Parameters are the inputs, in the order of the schema.
	Parameters []Parameter
	// Pinned puts the document before others that a query finds, unless these are
	// named exactly or fit at least PinReach times as well.
	Pinned bool
}

// Query asks an Index for documents.
type Query struct {
	// Text is what the caller typed. Only its first MaxQueryBytes count.
	Text string
	// Limit is the greatest number of hits; zero or less means DefaultLimit.
	// Documents that Text names exactly are never cut by it.
	Limit int
	// Keep says whether a document (by its position in Build's docs) may be
	// shown at all; nil keeps every one.
	Keep func(doc int) bool
}

// Hit is one found document.
type Hit struct {
	// Doc is the document's position in Build's docs.
	Doc int
	// Score is comparable inside one Result only.
	Score float64
	// Exact is true when the query names the document exactly.
	Exact bool
	// Why lists what made up Score, the greatest part first.
	Why []Reason
}

// Reason is one part of a hit's score.
type Reason struct {
	// Word is the indexed word that counted (folded and stemmed).
	Word string
	// Field is where it stands: name, source, title, description, parameter,
	// parameter description, or enum value.
	Field string
	// Score is what it added.
	Score float64
}

// Result is the answer to a Query.
type Result struct {
	// Hits are best first: exactly named documents, then by score, then by name.
	Hits []Hit
	// NearTerms are words of the index near the query's unknown words, best
	// first; only filled when Hits is empty.
	NearTerms []string
}

// PinReach is how many times better a document may be than a pinned one that
// still comes before it.
const PinReach = 2

// Limits of a query.
const (
	// DefaultLimit is the number of hits when Query.Limit is not positive.
	DefaultLimit = 8
	// MaxQueryBytes is how much of a query's text is read.
	MaxQueryBytes = 8192
	// MaxQueryWords is how many distinct words of a query are looked up.
	MaxQueryWords = 256
)
