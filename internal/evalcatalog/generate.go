package evalcatalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// toolsPerServer is about how many tools a generated server has.
const toolsPerServer = 24

// Generate makes a catalog of n tools that is the same for the same n and seed,
// for token and scale figures. The tools are composed of domains, verbs and
// objects; names are unique; about half say readOnlyHint, a fifth says nothing.
// The text is good enough to be tokenised and indexed, but is not what search
// quality is measured on. The first tools of a larger catalog are not those of a
// smaller one.
func Generate(n int, seed uint64) []Tool {
	d := &dice{state: seed ^ uint64(n)<<32, domains: domains(), brands: brandWords(), verbs: verbTable(), notes: noteSentences()}
	tools := make([]Tool, 0, max(n, 0))
	for i := 0; len(tools) < n; i++ {
		tools = append(tools, generateServer(d, i, min(toolsPerServer/2+d.roll(toolsPerServer), n-len(tools)))...)
	}
	return tools
}

// dice is splitmix64 (small, and the same on every platform and Go version) with
// the words it chooses from.
type dice struct {
	state         uint64
	domains       []domain
	brands, notes []string
	verbs         []verb
}

func (d *dice) roll(sides int) int {
	d.state += 0x9E3779B97F4A7C15
	z := d.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) % uint64(sides))
}

func (d *dice) pick(from []string) string { return from[d.roll(len(from))] }

// oneIn is true once in n times.
func (d *dice) oneIn(n int) bool { return d.roll(n) == 0 }

// generateServer makes the i-th server with at most n tools: every verb with
// every object of its domain, from a place of its own in that table.
func generateServer(d *dice, i, n int) []Tool {
	about, lap := d.domains[i%len(d.domains)], i/len(d.domains)
	name := d.brands[(lap+i)%len(d.brands)] + about.name
	if round := lap / len(d.brands); round > 0 {
		name = fmt.Sprintf("%s%d", name, round+1)
	}
	separator := d.pick([]string{"_", "_", "_", "__", "-", "."})
	annotates := !d.oneIn(5)
	pairs := len(d.verbs) * len(about.objects)
	start := d.roll(pairs)
	tools := make([]Tool, 0, n)
	for k := range min(n, pairs) {
		at := (start + k*7) % pairs // 7 divides no table here, so every pair comes once
		v, object := d.verbs[at%len(d.verbs)], about.objects[at/len(d.verbs)]
		tool := Tool{Server: name, Name: name + separator + v.toolName(object, separator == "-")}
		tool.Description = describe(d, v, object, about)
		tool.InputSchema = schemaFor(d, v, object, about)
		if annotates {
			tool.Annotations = json.RawMessage(v.annotations)
		}
		tools = append(tools, tool)
	}
	return tools
}

func (v verb) toolName(object string, dashes bool) string {
	if v.plural {
		object = plural(object)
	}
	name := v.word + "_" + strings.ReplaceAll(object, " ", "_")
	if dashes {
		return strings.ReplaceAll(name, "_", "-")
	}
	return name
}

func plural(word string) string {
	switch {
	case strings.HasSuffix(word, "y") && !strings.HasSuffix(word, "ay"):
		return strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "ch"):
		return word + "es"
	}
	return word + "s"
}

// describe writes a lead sentence and as many notes as a real server might.
func describe(d *dice, v verb, object string, about domain) string {
	thing := object
	if v.plural {
		thing = plural(object)
	}
	text := fmt.Sprintf(d.pick(v.leads), thing, about.place)
	count := [...]int{0, 0, 1, 1, 1, 2, 2, 3, 4, 7}[d.roll(10)]
	start := d.roll(len(d.notes))
	for k := range count {
		text += " " + strings.ReplaceAll(d.notes[(start+k*5)%len(d.notes)], "%s", object)
	}
	return text
}

// schemaFor writes the input schema: the verb's parameters and some fields of
// the domain, in the manner of one of three kinds of server.
func schemaFor(d *dice, v verb, object string, about domain) json.RawMessage {
	var properties bytes.Buffer
	var required []string
	write := func(name, schema string) {
		if properties.Len() > 0 {
			properties.WriteByte(',')
		}
		fmt.Fprintf(&properties, "%q:%s", name, schema)
	}
	id := strings.ReplaceAll(object, " ", "_") + "_id"
	if v.byID {
		write(id, fmt.Sprintf(`{"type":"string","description":"Identifier of the %s."}`, object))
		required = append(required, id)
	}
	for _, p := range v.parameters {
		write(p.name, p.schema)
	}
	optional := d.oneIn(3)
	for k := range v.fields {
		f := about.fields[(k+d.roll(2))%len(about.fields)]
		if bytes.Contains(properties.Bytes(), fmt.Appendf(nil, "%q:", f.name)) {
			continue
		}
		if k == 0 && v.needsField {
			required = append(required, f.name)
		} else if optional {
			f.schema = `{"anyOf":[` + f.schema + `,{"type":"null"}],"default":null}`
		}
		write(f.name, f.schema)
	}
	return assemble(properties.String(), required, d.oneIn(4), v.nested)
}

// assemble puts a schema's parts together.
func assemble(properties string, required []string, closed, nested bool) json.RawMessage {
	out := `{"type":"object","properties":{` + properties + `}`
	if nested {
		out = strings.TrimSuffix(out, "}") + `,"filter":{"$ref":"#/$defs/Filter"}}`
	}
	if len(required) > 0 {
		out += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	if closed {
		out += `,"additionalProperties":false`
	}
	if nested {
		out += `,"$defs":{"Filter":` + filterSchema + `}`
	}
	return json.RawMessage(out + "}")
}

const filterSchema = `{"type":"object","description":"Conditions that must all hold. Nest with any or none.","properties":{"field":{"type":"string","description":"Name of the field to compare."},` +
	`"operator":{"type":"string","enum":["eq","ne","lt","lte","gt","gte","contains","in","is_empty"]},` +
	`"value":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"array","items":{"type":"string"}}]},` +
	`"any":{"type":"array","items":{"$ref":"#/$defs/Filter"}},"none":{"type":"array","items":{"$ref":"#/$defs/Filter"}}}}`
