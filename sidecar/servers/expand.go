package servers

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand puts the values of variables in the place of ${VAR} and
// ${VAR:-default}, where the default counts for an empty variable too, as in a
// shell; ${env:VAR} is the same as some editors write it, and $${ is a plain
// ${. Values are not expanded again. The error names what is missing, and
// repeats no value.
func expand(text string, getenv func(string) (string, bool)) (string, error) {
	var b strings.Builder
	var missing []error
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			b.WriteString(text)
			return b.String(), errors.Join(missing...)
		}
		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(plain + "${")
			text = rest
			continue
		}
		b.WriteString(before)
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New("has ${ without }: close it, or write $${ for a plain ${")
		}
		value, err := variable(inside, getenv)
		if err != nil {
			missing = append(missing, err)
		}
		b.WriteString(value)
		text = after
	}
}

func variable(inside string, getenv func(string) (string, bool)) (string, error) {
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(inside, "env:"), ":-")
	kind, _, other := strings.Cut(name, ":")
	switch {
	case other && variableName.MatchString(kind):
		return "", fmt.Errorf("asks for ${%s:...}, which an editor fills in: write ${NAME} and set the variable NAME", kind)
	case strings.Contains(fallback, "${"):
		return "", fmt.Errorf("has a variable inside the default of ${%s:-...}: give a plain default", kind)
	case !variableName.MatchString(name):
		return "", errors.New("has ${...} with something else than a variable's name in it: write ${NAME} or ${NAME:-default}, and $${ for a plain ${")
	}
	value, ok := getenv(name)
	switch {
	case hasFallback && value == "":
		return fallback, nil
	case !ok:
		return "", fmt.Errorf("needs the variable %s, which is not set: set it, or write ${%s:-default}", name, name)
	}
	return value, nil
}
