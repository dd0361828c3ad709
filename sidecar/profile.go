package sidecar

import (
	"fmt"
	"strings"
)

// Profile chooses between two lists of the five tools. It holds for a whole deployment, never for one connection:
// within a deployment the list is the same bytes for everybody.
type Profile int

// The profiles.
const (
	// Standard is for clients that leave a free-form object as the model wrote it.
	Standard Profile = iota
	// StrictArguments is for clients and decoders that empty one: the call tools also take arguments_json, a string,
	// which strict decoding lets through.
	StrictArguments
)

var profileNames = [...]string{Standard: "standard", StrictArguments: "strict-arguments"}

// String returns the profile's name in settings.
func (p Profile) String() string { return profileNames[p] }

// UnmarshalText reads a profile's name.
func (p *Profile) UnmarshalText(text []byte) error {
	for i, name := range profileNames {
		if name == string(text) {
			*p = Profile(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no client profile: write %s", text, strings.Join(profileNames[:], " or "))
}

// MetaTools returns the five definitions in their fixed order. Schemas are plain objects (no root combinators, no type
// arrays, properties always present), because strict clients and decoders drop or refuse anything else.
func (p Profile) MetaTools() []MetaTool {
	tools := MetaTools()
	if p != StrictArguments {
		return tools
	}
	for i, t := range tools {
		switch t.Name {
		case CallReadTool, CallReadTools, CallWriteTool:
			tools[i].InputSchema = strings.Replace(t.InputSchema, nameAndArguments, nameAndArguments+argumentsJSON, 1)
			tools[i].Description = strings.Replace(t.Description, `"arguments":{"id":"42"}`, `"arguments_json":"{\"id\":\"42\"}"`, 1)
		}
	}
	return tools
}

// argumentsJSON is the property that StrictArguments adds. It stands after arguments, and says when it counts, because
// a strict decoder makes the model fill in both.
const argumentsJSON = `,"arguments_json":{"type":"string","description":"The tool's own arguments, as one JSON object in a string; leave arguments empty then"}`
