package search

// field is a part of a document that is weighed by itself.
type field uint8

const (
	fieldName field = iota
	fieldSource
	fieldTitle
	fieldAlias
	fieldDescription
	fieldParameter
	fieldParameterText
	fieldEnum
	fields
)

var fieldNames = [fields]string{
	"name", "source", "title", "alias", "description", "parameter", "parameter description", "enum value",
}

func (f field) String() string { return fieldNames[f] }

// FieldMeaning is the Field of the Reason that says what the vectors gave.
const FieldMeaning = "meaning"

// fieldSet is a set of fields, one bit each.
type fieldSet uint8

func (s fieldSet) has(f field) bool { return s&(1<<f) != 0 }

// named is where a word names the tool rather than tells about it.
const named = fieldSet(1<<fieldName | 1<<fieldSource | 1<<fieldTitle | 1<<fieldAlias)
