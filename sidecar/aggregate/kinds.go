package aggregate

// kind is what servers list.
type kind int

// What servers list (spec 2025-11-25 and 2026-07-28, server/tools, prompts, resources).
const (
	tools kind = iota
	prompts
	resources
	templates
	kinds
)

// method is the method that lists it.
func (k kind) method() string {
	return [kinds]string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}[k]
}

// member is the name of the array in the method's result.
func (k kind) member() string {
	return [kinds]string{"tools", "prompts", "resources", "resourceTemplates"}[k]
}

// capability is what a server that lists it says it can do.
func (k kind) capability() string {
	return [kinds]string{"tools", "prompts", "resources", "resources"}[k]
}

// named says that items are known by a name, which may have to change in the
// merge; the others are known by an address, which nobody may change.
func (k kind) named() bool { return k == tools || k == prompts }

// kindOf is the kind that a method lists.
func kindOf(method string) (kind, bool) {
	for k := range kinds {
		if k.method() == method {
			return k, true
		}
	}
	return 0, false
}

// changedKinds are the kinds that a notification says have changed.
func changedKinds(method string) []kind {
	switch method {
	case "notifications/tools/list_changed":
		return []kind{tools}
	case "notifications/prompts/list_changed":
		return []kind{prompts}
	case "notifications/resources/list_changed":
		return []kind{resources, templates}
	}
	return nil
}
