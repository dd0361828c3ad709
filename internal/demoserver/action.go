package demoserver

import (
	"strings"
	"unicode"

	"mcp-toolsearch/internal/evalcatalog"
)

// kind is what a tool does to the records of its server.
type kind int

const (
	readOne kind = iota
	readMany
	makeOne
	changeOne
	removeOne
	doSomething
)

// action is what a tool does, read from its name: create_issue makes an issue,
// listNotes reads many notes.
type action struct {
	tool   string
	server string
	kind   kind
	noun   string // singular, as the records are kept
	image  bool
}

func actionOf(tool evalcatalog.Tool) action {
	own := strings.TrimLeft(strings.TrimPrefix(tool.Name, tool.Server), "_-./")
	words := split(own)
	a := action{tool: tool.Name, server: tool.Server, noun: singular(words[len(words)-1]), image: showsPicture(own)}
	if len(words) == 1 {
		a.noun = words[0]
	}
	switch words[0] {
	case "create", "add", "log", "record", "send", "post", "schedule", "upload", "book", "buy", "declare", "quick", "request", "copy", "fork", "make", "insert", "submit", "save":
		a.kind = makeOne
	case "list", "search", "find", "query", "top":
		a.kind = readMany
	case "get", "read", "describe", "lookup", "current", "who", "describe-image":
		a.kind = readOne
	case "delete", "remove", "trash", "cancel", "archive", "void", "drop", "terminate", "kill":
		a.kind = removeOne
	case "update", "set", "move", "rename", "assign", "transition", "complete", "close", "resolve", "acknowledge", "change", "append", "approve", "merge", "mark", "snooze", "restore", "edit":
		a.kind = changeOne
	default:
		a.kind = other(tool)
	}
	return settled(a, own)
}

// other is the kind of a tool whose verb says nothing: what its server says.
func other(tool evalcatalog.Tool) kind {
	if tool.ReadOnly() {
		return readOne
	}
	return doSomething
}

// settled puts right what names alone don't tell.
func settled(a action, own string) action {
	switch own {
	case "quick_add":
		a.noun = "event"
	case "book_flight", "book_hotel", "book_train":
		a.noun = "booking"
	case "make_transfer":
		a.noun = "transaction"
	case "schedule_message", "send_draft":
		a.noun = "message"
	case "make-chart", "make-diagram", "make-qr-code":
		a.kind = readOne
	case "search", "list_my_work", "get_agenda", "list_unread":
		a.kind = readMany
	}
	return a
}

// split cuts a name at separators and before capitals, and lowers its words.
func split(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	for i, r := range runes {
		if strings.ContainsRune("_-./", r) || (unicode.IsUpper(r) && i > start) {
			words = append(words, strings.ToLower(strings.Trim(string(runes[start:i]), "_-./")))
			start = i
		}
	}
	return append(words, strings.ToLower(strings.Trim(string(runes[start:]), "_-./")))
}

// singular is good enough for the nouns of tool names.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "ches"):
		return strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

func showsPicture(own string) bool {
	switch own {
	case "render_panel", "static_map", "radar_image", "screenshot", "camera_snapshot", "generate-image", "edit-image",
		"remove-background", "upscale", "resize-image", "make-chart", "make-diagram", "make-qr-code":
		return true
	}
	return false
}
