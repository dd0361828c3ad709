package evalcatalog

// parameter is one property of a generated schema.
type parameter struct{ name, schema string }

// verb is what a generated tool does to an object.
type verb struct {
	word        string
	plural      bool // the object's name is in the plural
	byID        bool // takes the object's id
	needsField  bool // its first field is required
	nested      bool // takes a nested filter
	fields      int  // at most so many fields of the domain
	annotations string
	leads       []string // with the object and the place
	parameters  []parameter
}

func verbTable() []verb {
	const reads = `{"readOnlyHint":true}`
	const writes = `{"readOnlyHint":false,"destructiveHint":false}`
	const destroys = `{"readOnlyHint":false,"destructiveHint":true}`
	return append(readingVerbs(reads), changingVerbs(writes, destroys)...)
}

func paging() []parameter {
	return []parameter{
		{"limit", `{"type":"integer","minimum":1,"maximum":200,"default":25,"description":"Most entries to return."}`},
		{"cursor", `{"type":"string","description":"Where to go on, from the answer before."}`},
	}
}

func readingVerbs(reads string) []verb {
	query := parameter{"query", `{"type":"string","minLength":1,"maxLength":500,"description":"Words to look for. Quoted phrases are matched as they are."}`}
	sort := parameter{"sort", `{"type":"string","enum":["newest","oldest","relevance","name"],"default":"newest"}`}
	from := parameter{"from", `{"type":"string","format":"date-time","description":"Only from this moment on."}`}
	to := parameter{"to", `{"type":"string","format":"date-time","description":"Only before this moment."}`}
	by := parameter{"group_by", `{"type":"string","enum":["day","week","month","owner","status"],"default":"week","description":"What the figures are broken down by."}`}
	return []verb{
		{word: "list", plural: true, fields: 2, annotations: reads, parameters: append(paging(), sort),
			leads: []string{"List %s in the %s, newest first.", "Lists %s of the %s that the caller may see.", "Get all %s. Reads from the %s."}},
		{word: "search", plural: true, nested: true, fields: 2, annotations: reads, parameters: append([]parameter{query}, paging()...),
			leads: []string{"Search %s in the %s by words and filters.", "Find %s. The whole text in the %s is searched."}},
		{word: "get", byID: true, annotations: reads, parameters: []parameter{{"expand", `{"type":"array","items":{"type":"string","enum":["owner","history","comments","links"]},"description":"Related things to include."}`}},
			leads: []string{"Read one %s of the %s with everything on it.", "Get a %s by its id from the %s.", "Returns a %s. Source: the %s."}},
		{word: "get_history_of", byID: true, annotations: reads, parameters: append([]parameter{from, to}, paging()...),
			leads: []string{"Who changed a %s in the %s, when, and what it was before.", "Versions of a %s, latest first, as the %s keeps them."}},
		{word: "count", plural: true, nested: true, fields: 1, annotations: reads, parameters: []parameter{by, from, to},
			leads: []string{"Count %s in the %s.", "Number of %s over time, from the %s."}},
		{word: "export", plural: true, nested: true, annotations: reads, parameters: []parameter{{"format", `{"type":"string","enum":["csv","json","xlsx","pdf"],"default":"csv"}`}, from, to},
			leads: []string{"Write %s of the %s into a file and return its link.", "Export %s for use outside the %s."}},
	}
}

func changingVerbs(writes, destroys string) []verb {
	note := parameter{"note", `{"type":"string","maxLength":2000,"description":"Why; shown in the history."}`}
	notify := parameter{"notify", `{"type":"boolean","default":true,"description":"Tell those who follow it."}`}
	dryRun := parameter{"dry_run", `{"type":"boolean","default":false,"description":"Only say what would happen."}`}
	ids := parameter{"ids", `{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":100,"description":"What to change."}`}
	return []verb{
		{word: "create", fields: 5, needsField: true, annotations: writes, parameters: []parameter{notify},
			leads: []string{"Create a new %s in the %s.", "Add a %s to the %s and return its id and link.", "Makes a %s. Stored in the %s."}},
		{word: "update", byID: true, fields: 5, annotations: writes, parameters: []parameter{note, notify},
			leads: []string{"Change fields of a %s in the %s; those left out stay.", "Edit an existing %s of the %s."}},
		{word: "delete", byID: true, annotations: destroys, parameters: []parameter{note, dryRun},
			leads: []string{"Delete a %s from the %s.", "Remove a %s for good. The %s keeps no copy."}},
		{word: "archive", plural: true, annotations: destroys, parameters: []parameter{ids, note},
			leads: []string{"Put %s of the %s out of sight; they can still be found.", "Archive %s. The %s stops showing them in lists."}},
		{word: "share", byID: true, annotations: writes, parameters: []parameter{
			{"with", `{"type":"array","items":{"type":"object","properties":{"email":{"type":"string","format":"email"},"role":{"type":"string","enum":["viewer","editor","owner"]}},"required":["email"]},"minItems":1,"description":"People or groups and what they may do."}`}, notify},
			leads: []string{"Give others access to a %s in the %s.", "Share a %s. Access ends with the %s account of the person."}},
		{word: "assign", byID: true, annotations: writes, parameters: []parameter{{"to", `{"type":"string","description":"User id or email address; empty for nobody."}`}, note},
			leads: []string{"Hand a %s of the %s to somebody.", "Set who looks after a %s in the %s."}},
		{word: "import", plural: true, annotations: writes, parameters: []parameter{{"url", `{"type":"string","format":"uri","description":"Where the file can be fetched."}`}, {"mapping", `{"type":"object","additionalProperties":{"type":"string"},"description":"Column of the file to field."}`}, dryRun},
			leads: []string{"Bring %s into the %s from a file.", "Load many %s at once into the %s."}},
	}
}
