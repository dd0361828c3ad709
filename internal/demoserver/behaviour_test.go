package demoserver_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/demoserver"
)

// items are the ids of a list's answer.
func items(object map[string]any) string {
	var ids []string
	list, _ := object["items"].([]any)
	for _, item := range list {
		fields, _ := item.(map[string]any)
		ids = append(ids, fmt.Sprint(fields["id"]))
	}
	return strings.Join(ids, " ")
}

func TestWritesAreSeenByReads(t *testing.T) {
	for _, e := range eras() {
		t.Run(e.name, func(t *testing.T) {
			session := connect(t, serve(t, demoserver.Options{Stateful: e.stateful}), e, "", nil)
			_, made := call(t, session, "tallyboard_create_issue", map[string]any{"project": "TB", "title": "Blank page after login"})
			if made["id"] != "TB-1001" {
				t.Fatalf("the new issue is %v, want TB-1001", made["id"])
			}
			if _, list := call(t, session, "tallyboard_list_issues", nil); !strings.HasPrefix(items(list), "TB-1001 ") {
				t.Errorf("issues %s, want the new one first", items(list))
			}
			if _, list := call(t, session, "tallyboard_search_issues", map[string]any{"query": "unrelated"}); strings.Contains(items(list), "TB-1001") {
				t.Errorf("a search for something else finds the new issue")
			}
			call(t, session, "tallyboard_transition_issue", map[string]any{"issue": "TB-1001", "to": "In Progress"})
			if _, one := call(t, session, "tallyboard_get_issue", map[string]any{"issue": "TB-1001"}); one["to"] != "In Progress" || one["title"] != "Blank page after login" {
				t.Errorf("the issue reads %v after the transition", one)
			}
			call(t, session, "tallyboard_delete_issue", map[string]any{"issue": "TB-1001"})
			if _, list := call(t, session, "tallyboard_list_issues", nil); strings.Contains(items(list), "TB-1001") {
				t.Errorf("the deleted issue is still listed")
			}
			_, note := call(t, session, "jotter.createNote", map[string]any{"title": "Gate", "text": "4471"})
			if _, read := call(t, session, "jotter.getNote", map[string]any{"noteId": note["id"]}); read["text"] != "4471" {
				t.Errorf("the note reads %v", read)
			}
			_, booking := call(t, session, "roamly_book_hotel", map[string]any{"rate_id": "r1", "guests": []any{map[string]any{"first_name": "Ona", "last_name": "L"}}})
			if _, read := call(t, session, "roamly_get_booking", map[string]any{"booking": booking["id"]}); read["rate_id"] != "r1" {
				t.Errorf("the booking reads %v", read)
			}
		})
	}
}

func TestAMadeUpObjectKeepsItsChanges(t *testing.T) {
	session := connect(t, serve(t, demoserver.Options{}), eras()[0], "", nil)
	call(t, session, "rapportal_update_contact", map[string]any{"contact_id": "con_7", "properties": map[string]any{"phone": "+370"}})
	_, contact := call(t, session, "rapportal_get_contact", map[string]any{"contact_id": "con_7"})
	if got := fmt.Sprint(contact["properties"]); got != "map[phone:+370]" {
		t.Errorf("properties %s after the update", got)
	}
	call(t, session, "rapportal_delete_contact", map[string]any{"contact_id": "con_7"})
	if result, _ := call(t, session, "rapportal_get_contact", map[string]any{"contact_id": "con_7"}); !result.IsError {
		t.Error("a deleted contact can still be read")
	}
}

func TestTheSameCallHasTheSameAnswer(t *testing.T) {
	arguments := map[string]any{"place": "Kaunas", "days": 3}
	var answers []map[string]any
	for range 2 {
		session := connect(t, serve(t, demoserver.Options{}), eras()[0], "", nil)
		_, object := call(t, session, "skylark_forecast", arguments)
		answers = append(answers, object)
	}
	if len(answers[0]) == 0 || !reflect.DeepEqual(answers[0], answers[1]) {
		t.Errorf("two answers to the same call: %v and %v", answers[0], answers[1])
	}
}

func TestBadArgumentsAreRefused(t *testing.T) {
	for _, e := range eras() {
		t.Run(e.name, func(t *testing.T) {
			bad := map[string]any{"project": "TB", "title": "x"}
			session := connect(t, serve(t, demoserver.Options{Stateful: e.stateful}), e, "", nil)
			result, _ := call(t, session, "tallyboard_create_issue", bad)
			text, _ := result.Content[0].(*mcp.TextContent)
			if !result.IsError || text == nil || !strings.Contains(text.Text, "title") {
				t.Errorf("the answer %+v, want an error that names title", text)
			}
			strict := connect(t, serve(t, demoserver.Options{Stateful: e.stateful, ProtocolErrors: true}), e, "", nil)
			_, err := strict.CallTool(t.Context(), &mcp.CallToolParams{Name: "tallyboard_create_issue", Arguments: bad})
			if err == nil || !strings.Contains(err.Error(), "invalid arguments") {
				t.Errorf("error %v, want invalid arguments", err)
			}
		})
	}
}

func TestCallersSeeOnlyTheirTools(t *testing.T) {
	mine := func(token, tool string) bool { return strings.HasPrefix(tool, token) }
	for _, e := range eras() {
		t.Run(e.name, func(t *testing.T) {
			url := serve(t, demoserver.Options{Stateful: e.stateful, Tokens: []string{"parley", "skylark"}, Visible: mine})
			for token, other := range map[string]string{"parley": "skylark_forecast", "skylark": "parley_list_users"} {
				session := connect(t, url, e, token, nil)
				tools := listed(t.Context(), t, session)
				if len(tools) == 0 {
					t.Fatalf("%s sees no tool", token)
				}
				for name := range tools {
					if !strings.HasPrefix(name, token) {
						t.Errorf("%s sees %s", token, name)
					}
				}
				_, hidden := session.CallTool(t.Context(), &mcp.CallToolParams{Name: other})
				_, absent := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing_like_it"})
				if hidden == nil || absent == nil || strings.ReplaceAll(hidden.Error(), other, "nothing_like_it") != absent.Error() {
					t.Errorf("a hidden tool answers %v, an absent one %v; want the same", hidden, absent)
				}
				if read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: demoserver.ServersURI}); err != nil || strings.Count(read.Contents[0].Text, ":") != 1 {
					t.Errorf("the resource tells %s of other servers: %+v, %v", token, read, err)
				}
			}
		})
	}
}

func TestACallerWithoutATokenIsSentToLogin(t *testing.T) {
	url := serve(t, demoserver.Options{Tokens: []string{"right"}, ResourceMetadataURL: "https://tools.example/.well-known/oauth-protected-resource"})
	for _, token := range []string{"", "wrong"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := bearer{token}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if challenge := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != 401 || !strings.Contains(challenge, "tools.example") {
			t.Errorf("status %d with challenge %q, want 401 with the metadata's address", resp.StatusCode, challenge)
		}
	}
}
