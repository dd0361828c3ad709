package aggregate

import (
	"fmt"
	"testing"
)

func TestWhatIsRememberedIsBounded(t *testing.T) {
	clients := newClientTable(3)
	for i := range 10 {
		clients.use(fmt.Sprint("client", i), "server")
		clients.end(fmt.Sprint("ended", i))
	}
	if clients.clients.len() != 3 || clients.ended.len() != 3 {
		t.Errorf("%d clients, %d ended", clients.clients.len(), clients.ended.len())
	}
	if clients.opened("client0") != nil || len(clients.opened("client9")) != 1 || clients.hasEnded("ended0") || !clients.hasEnded("ended9") {
		t.Error("not the ones used least recently were forgotten")
	}
	tasks := newTaskTable(3)
	for i := range 10 {
		tasks.note("caller", fmt.Sprint("task", i), "server")
		tasks.owner("caller", "task0")
	}
	if _, ok := tasks.owner("caller", "task0"); !ok || tasks.owners.len() != 3 {
		t.Errorf("the task that was asked for is forgotten; %d are kept", tasks.owners.len())
	}
	if _, ok := tasks.owner("another", "task0"); ok {
		t.Error("a task is another caller's")
	}
}

func TestCallersBytesAreBounded(t *testing.T) {
	a := &Aggregate{library: newLibrary(5, 100)}
	shelves := map[int]*shelf{}
	for i := range 4 {
		shelves[i] = a.shelf(&visitor{key: fmt.Sprint(i)}, tools)
		a.library.weigh(shelves[i], 30)
	}
	if a.library.bytes != 90 || a.library.books.len() != 3 {
		t.Errorf("%d bytes of %d callers", a.library.bytes, a.library.books.len())
	}
	a.library.weigh(shelves[0], 50) // forgotten: it counts no more
	a.library.weigh(shelves[3], 10)
	if a.library.bytes != 70 {
		t.Errorf("%d bytes", a.library.bytes)
	}
	a.library.weigh(shelves[3], 500) // alone it may be larger than the bound
	if a.library.books.len() != 1 || a.library.bytes != 500 {
		t.Errorf("%d bytes of %d callers", a.library.bytes, a.library.books.len())
	}
	for i := range 9 {
		a.shelf(&visitor{key: fmt.Sprint("more", i)}, prompts)
	}
	if a.library.books.len() != 5 || a.library.bytes != 0 || len(a.library.all()) != 5*int(kinds) {
		t.Errorf("%d bytes of %d callers", a.library.bytes, a.library.books.len())
	}
}
