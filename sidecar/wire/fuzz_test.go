package wire_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// corpus returns the kept inputs of a fuzz target with one []byte argument.
func corpus(t testing.TB, target string) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "fuzz", target, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		quoted, ok := strings.CutPrefix(line, "[]byte(")
		text, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
		if !ok || err != nil {
			t.Fatalf("%s is not of the form []byte(...): %v", f, err)
		}
		all = append(all, []byte(text))
	}
	return all
}

func FuzzScan(f *testing.F) {
	for _, body := range bodies(f) {
		// More of the generated ones would slow the start of every worker.
		if len(body) < 500 {
			f.Add(body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		m, fault := wire.Scan(body, wire.DefaultLimits())
		if !bytes.Equal(body, before) {
			t.Fatal("the body was changed")
		}
		if fault != nil {
			if fault.Code == 0 || fault.Reason == "" || fault.StatusFor(wire.Modern) < 400 {
				t.Errorf("the fault is incomplete: %+v", fault)
			}
			return
		}
		checkMessage(t, m)
		for i := range m.Elements {
			checkMessage(t, &m.Elements[i])
		}
	})
}

// checkMessage holds what every accepted message must satisfy.
func checkMessage(t *testing.T, m *wire.Message) {
	t.Helper()
	if m.Kind == wire.Batch {
		return
	}
	alone, fault := wire.Scan(m.Body, wire.DefaultLimits())
	if fault != nil {
		t.Fatalf("an element is refused alone: %v: %q", fault, m.Body)
	}
	if fmt.Sprint(*alone) != fmt.Sprint(*m) {
		t.Errorf("scanned alone it is another:\n%v\n%v", *m, *alone)
	}
	goReadsTheSame(t, m)
	members := asMap(t, m.Body)
	params := map[string]string{}
	if !m.Params.Absent() {
		params = asMap(t, m.Params.In(m.Body))
	}
	for what, pair := range map[string][2]string{
		"id":        {string(m.ID), members["id"]},
		"arguments": {string(m.Arguments.In(m.Body)), params["arguments"]},
		"params":    {string(m.Params.In(m.Body)), strings.TrimPrefix(members["params"], "null")},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q in %q", what, pair[0], pair[1], m.Body)
		}
	}
}

// asMap is a raw object as a map, by Fields.
func asMap(t *testing.T, object []byte) map[string]string {
	t.Helper()
	fields, err := wire.Fields(object)
	if err != nil {
		t.Fatalf("%v: %q", err, object)
	}
	members := map[string]string{}
	for _, f := range fields {
		members[f.Key] = string(f.Value)
	}
	return members
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(call(`{"name":"a","arguments":{"b":1}}`)), "c", []byte(`{}`))
	f.Add([]byte(call(`{"arguments":[],"_meta":{"a":1.0},"name":"a"}`)), "d\"é\xff", []byte(`{"e":"\u0066"}`))
	f.Add([]byte(call(`{"name":"a"}`)), "", []byte(`[1e3]`))
	f.Fuzz(func(t *testing.T, body []byte, name string, arguments []byte) {
		m, fault := wire.Scan(body, wire.DefaultLimits())
		if fault != nil || !m.HasName {
			return
		}
		arguments = wire.Compact(arguments)
		if _, fault := wire.Scan([]byte(`{"jsonrpc":"2.0","method":"x","params":{"arguments":`+string(arguments)+`}}`), wire.DefaultLimits()); fault != nil {
			return
		}
		checkRewrite(t, m, name, arguments)
	})
}

func FuzzFields(f *testing.F) {
	for _, object := range []string{`{}`, ` { "a" : 1 , "\u0062":[ ] } `, `{"a":{"a":1}}`, `{"a":1,"a":2}`, `{"\ud800":"x"}`, `[]`} {
		f.Add([]byte(object), "a", []byte(`{"k":1.0}`))
	}
	f.Fuzz(func(t *testing.T, object []byte, key string, value []byte) {
		fields, err := wire.Fields(object)
		if value = wire.Compact(value); err != nil || len(value) == 0 {
			return
		}
		if _, err := wire.Fields([]byte(`{"v":` + string(value) + `}`)); err != nil {
			return
		}
		out, err := wire.SetField(object, key, value)
		if err != nil {
			t.Fatal(err)
		}
		after := asMap(t, out)
		for _, old := range fields {
			if old.Key != key && after[old.Key] != string(old.Value) {
				t.Errorf("member %q became %q: %q", old.Key, after[old.Key], out)
			}
		}
		if after[toValid(key)] != string(value) {
			t.Errorf("member %q is %q, want %q: %q", key, after[key], value, out)
		}
	})
}

func FuzzFirstEvent(f *testing.F) {
	for _, eol := range []string{"\n", "\r", "\r\n"} {
		f.Add([]byte(stream(eol)), []byte("{}\n1"), uint16(9))
	}
	f.Add([]byte("\xef\xbb\xbfdata:a\n\n\n: c\n\n"), []byte("x\r\r\ny"), uint16(3))
	f.Fuzz(func(t *testing.T, buf, data []byte, split uint16) {
		ev, rest, ok := wire.FirstEvent(buf)
		if !ok {
			if !bytes.Equal(rest, buf) {
				t.Fatal("bytes were taken without an event")
			}
			return
		}
		if !bytes.Equal(append(bytes.Clone(ev.Raw), rest...), buf) {
			t.Fatalf("event and rest are not the buffer: %q and %q of %q", ev.Raw, rest, buf)
		}
		cut := int(split) % (len(buf) + 1)
		if early, _, ok := wire.FirstEvent(buf[:cut]); ok && !bytes.Equal(early.Raw, ev.Raw) {
			t.Errorf("cut at %d the event is %q, else %q", cut, early.Raw, ev.Raw)
		}
		out := ev.WithData(data)
		// The byte behind tells FirstEvent that a CR at the end stands alone.
		again, _, ok := wire.FirstEvent(append(bytes.Clone(out), ':'))
		if !ok || !bytes.Equal(again.Raw, out) {
			t.Fatalf("with data it is not one event: %q, was %q", out, ev.Raw)
		}
		if again.Type != ev.Type || again.ID != ev.ID || again.HasID != ev.HasID {
			t.Errorf("with data it is of type %q, id %q, was %q, %q", again.Type, again.ID, ev.Type, ev.ID)
		}
		want := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\r", "\n")
		if string(again.Data) != want {
			t.Errorf("data is %q, want %q in %q", again.Data, want, out)
		}
	})
}

func FuzzDecodeValue(f *testing.F) {
	for _, v := range []string{"a", "=?base64?YQ==?=", "=?base64??=", "=?base64?=", "=?base64?YR==?=", " a", "é", "=?base64?YQ==\r\n?="} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if text, ok := wire.DecodeValue(v); ok && text != v {
			if "=?base64?"+strings.TrimSuffix(strings.TrimPrefix(v, "=?base64?"), "?=")+"?=" != v {
				t.Errorf("%q was decoded to %q without the sentinel", v, text)
			}
			if text != "" && wire.EncodeValue(text) != v && wire.EncodeValue(text) != text {
				t.Errorf("%q decodes to %q, which encodes to %q", v, text, wire.EncodeValue(text))
			}
		}
		if toValid(v) != v {
			return
		}
		encoded := wire.EncodeValue(v)
		if strings.ContainsFunc(encoded, func(r rune) bool { return r < ' ' || r > '~' }) || strings.TrimSpace(encoded) != encoded || encoded == "" {
			t.Errorf("%q encodes to the unsafe %q", v, encoded)
		}
		if back, ok := wire.DecodeValue(encoded); !ok || back != v {
			t.Errorf("%q encodes to %q, which decodes to %q, %v", v, encoded, back, ok)
		}
	})
}

func FuzzParamHeaders(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"o":{"properties":{"b":{"type":"integer","x-mcp-header":"B"}}}}}`), []byte(`{"a":"é","o":{"b":1.0}}`))
	f.Add([]byte(`{"properties":{"a":{"type":"boolean","x-mcp-header":"A"}},"anyOf":[{"items":[true]}]}`), []byte(`{"a":true}`))
	f.Add([]byte(`{"$defs":{"a":{"x-mcp-header":"A"}}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		headers, err := wire.ParamHeaders(schema)
		if err != nil && headers != nil {
			t.Error("headers came with an error")
		}
		seen := map[string]bool{}
		for _, h := range headers {
			name := strings.ToLower(h.Name)
			if name == "" || seen[name] || strings.ContainsAny(name, ":\r\n \x00") || len(h.Path) == 0 {
				t.Errorf("the header %+v is unsafe", h)
			}
			seen[name] = true
			value, ok := h.Value(arguments)
			if ok && (value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })) {
				t.Errorf("the value %q is unsafe", value)
			}
		}
	})
}
