package main

import (
	"os"
	"strings"
	"testing"
)

func TestWhatDoesNotStartIsToldAndLeavesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		mock string
		want string
	}{
		"no mock server":            {"", "mock server's URL"},
		"a product that never runs": {"http://127.0.0.1:1/", "start nothing-here"},
	} {
		t.Run(name, func(t *testing.T) {
			err := chain{sidecar: "/nothing-here", client: os.Args[0]}.run(tt.mock)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
