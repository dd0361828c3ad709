package main

import (
	"slices"
	"strings"
)

// adopt takes over variables that stand without the prefix, because programs before this one had them so.
func adopt(variables map[string]string) {
	if strings.HasPrefix(variables[envPrefix+"PORT"], "tcp://") { // Kubernetes sets it for a Service named toolsearch
		delete(variables, envPrefix+"PORT")
	}
	adoptTraces(variables)
	for _, o := range options() {
		value := strings.TrimSpace(variables[o.bare])
		if o.bare == "" || value == "" || variables[o.env] != "" {
			continue
		}
		if strings.HasPrefix(o.bare, "UPSTREAM") && variables[envPrefix+"UPSTREAM"] != "" {
			continue // a gateway is named: these are another program's
		}
		if o.bare == "LOG_LEVEL" && !slices.Contains(levels(), plainLevel(value)) {
			continue // another program's words: no reason not to start
		}
		if strings.HasPrefix(o.bare, "OTEL_") && !telemetryWord(o.bare, value, variables) {
			continue // the same
		}
		if o.bare == "PORT" {
			variables[barePort] = value // it opens no door by itself, see Settings.listen
			continue
		}
		variables[o.env] = value
	}
}

// barePort holds a PORT without the prefix, which hosts of containers set for every program.
const barePort = envPrefix + " PORT"

func levels() []string { return []string{"debug", "info", "warn", "error"} }

// plainLevel is our word for a log level, in whatever case, and for other programs' words.
func plainLevel(text string) string {
	level := strings.ToLower(strings.TrimSpace(text))
	switch level {
	case "warning":
		return "warn"
	case "critical", "fatal":
		return "error"
	case "trace":
		return "debug"
	}
	return level
}
