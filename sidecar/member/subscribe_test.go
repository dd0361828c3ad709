package member

import (
	"fmt"
	"strings"
	"testing"
)

func TestSubscriptionsAreBounded(t *testing.T) {
	k := &talk{}
	for i := range maxSubscribed {
		if first, ok := k.subscribe(fmt.Sprint("file:///", i)); !first || !ok {
			t.Fatalf("subscription %d: first %t, ok %t", i, first, ok)
		}
	}
	if _, ok := k.subscribe("file:///one more"); ok {
		t.Error("one more was taken")
	}
	if first, ok := k.subscribe("file:///0"); first || !ok {
		t.Error("the same again is not one more")
	}
	k.unsubscribe("file:///1")
	if _, ok := k.subscribe("file:///one more"); !ok {
		t.Error("who leaves makes room")
	}
	k.unsubscribe("file:///2")
	if _, ok := k.subscribe(strings.Repeat("x", maxSubscribedURI+1)); ok {
		t.Error("an address as long as that was taken")
	}
}
