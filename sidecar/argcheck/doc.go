// Package argcheck says whether a call's arguments fit a tool's input schema,
// and if not, what to change.
package argcheck
