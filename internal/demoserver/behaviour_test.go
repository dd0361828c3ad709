package demoserver_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
			session := connect(t, serve(t), e)
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
	session := connect(t, serve(t), eras()[0])
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
		session := connect(t, serve(t), eras()[0])
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
			session := connect(t, serve(t), e)
			result, _ := call(t, session, "tallyboard_create_issue", bad)
			text, _ := result.Content[0].(*mcp.TextContent)
			if !result.IsError || text == nil || !strings.Contains(text.Text, "title") {
				t.Errorf("the answer %+v, want an error that names title", text)
			}
		})
	}
}
