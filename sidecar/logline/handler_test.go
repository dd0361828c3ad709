package logline_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/sidecar/logline"
)

func TestWhatIsNotDefinedIsWithheld(t *testing.T) {
	for name, c := range map[string]struct {
		attr slog.Attr
		want string
	}{
		"a defined key":                 {slog.String("tool", "mail_find"), "tool=mail_find"},
		"a number":                      {slog.Float64("ms", 1.25), "ms=1.25"},
		"a small number":                {slog.Float64("ms", 0), "ms=0"},
		"an undefined key":              {slog.String("query", "m4rk"), "undefined=withheld"},
		"a key that is a value":         {slog.String("m4rk", ""), "undefined=withheld"},
		"a value of no closed set":      {slog.String("reason", "m4rk is not found"), "reason=withheld"},
		"a method of no protocol":       {slog.String("method", "m4rk!"), "method=withheld"},
		"a request for metadata":        {slog.String("method", "metadata"), "method=metadata"},
		"a request id that is text":     {slog.String("request_id", "m4rk"), "request_id=withheld"},
		"our own request id":            {slog.String("request_id", "ABCDEFGHIJKLMNOPQRSTUVW234"), "request_id=ABCDEFGHIJKLMNOPQRSTUVW234"},
		"a group":                       {slog.Group("tool", slog.String("m4rk", "m4rk")), "undefined=withheld"},
		"a duration":                    {slog.Duration("ran", time.Second), "ran=1s"},
		"a status in words":             {slog.String("status", "signal: killed"), `status="signal: killed"`},
		"a status as a number":          {slog.Int("status", 503), "status=503"},
		"a closed word with a line end": {slog.String("outcome", "ok\nm4rk"), "outcome=withheld"},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			log := slog.New(logline.Handler(slog.NewTextHandler(&text, nil)))
			log.Info("decided", c.attr)
			log.With(c.attr).WithGroup("m4rk").Info("decided")
			lines := strings.Split(strings.TrimSpace(text.String()), "\n")
			for _, line := range lines {
				if !strings.HasSuffix(line, "msg=decided "+c.want) || strings.Contains(line, "m4rk") {
					t.Errorf("the line is %s, want %s", line, c.want)
				}
			}
			if len(lines) != 2 {
				t.Errorf("%d lines", len(lines))
			}
		})
	}
}

func TestLevelsAreThoseOfTheHandlerBehind(t *testing.T) {
	log := slog.New(logline.Handler(slog.NewTextHandler(&bytes.Buffer{}, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if log.Enabled(t.Context(), slog.LevelInfo) || !log.Enabled(t.Context(), slog.LevelWarn) {
		t.Error("the level of the handler behind doesn't count")
	}
}

func TestTheDefinitionsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range logline.Keys() {
		switch {
		case seen[k.Name]:
			t.Errorf("%s is defined twice", k.Name)
		case !regexp.MustCompile(`^[a-z_]+$`).MatchString(k.Name):
			t.Errorf("%s is no plain name", k.Name)
		case !strings.HasSuffix(k.About, ".") || k.Origin == "" || k.Example == "":
			t.Errorf("%s: %q, %q, %q: something is missing", k.Name, k.About, k.Origin, k.Example)
		case k.Origin == logline.Closed && k.Pattern == "":
			t.Errorf("%s is of a fixed set, but its pattern takes anything", k.Name)
		case !regexp.MustCompile(`^(?:`+k.Pattern+`)$`).MatchString(k.Example) && k.Pattern != "":
			t.Errorf("%s: its own example %q would be withheld", k.Name, k.Example)
		}
		seen[k.Name] = true
	}
}
