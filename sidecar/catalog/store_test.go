package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
)

var errDown = &upstream.Error{Kind: upstream.Unreachable}

func TestAFreshCatalogIsServedFromMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		first := mustGet(t, s, r)
		time.Sleep(10*time.Minute - time.Second)
		if second := mustGet(t, s, r); second != first || l.count() != 1 {
			t.Errorf("listed %d times, want once", l.count())
		}
		if got := first.Age(time.Now()); got != 10*time.Minute-time.Second {
			t.Errorf("age = %v", got)
		}
	})
}

func TestAStaleCatalogIsServedWhileItIsListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("old"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		time.Sleep(10 * time.Minute)
		l.set(slowly(5*time.Second, named("new")))
		for range 50 {
			if got := names(mustGet(t, s, r)); got != "old" {
				t.Fatalf("tools = %s, want the stale ones at once", got)
			}
		}
		time.Sleep(6 * time.Second)
		if got := names(mustGet(t, s, r)); got != "new" || l.count() != 2 {
			t.Errorf("tools = %s after %d listings", got, l.count())
		}
	})
}

func TestAfterMaxStaleACatalogIsListedBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("old"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		time.Sleep(30*time.Minute + time.Second)
		if _, ok := s.Peek(r); ok {
			t.Errorf("Peek gave a catalog older than MaxStale")
		}
		l.set(slowly(time.Second, named("new")))
		if got := names(mustGet(t, s, r)); got != "new" {
			t.Errorf("tools = %s", got)
		}
	})
}

func TestAFailureKeepsTheStaleCatalogUntilMaxStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("old"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		l.set(fails(errDown))
		time.Sleep(10 * time.Minute)
		for range 10 { // a storm within the negative memory lists once
			mustGet(t, s, r)
			synctest.Wait()
		}
		if l.count() != 2 {
			t.Errorf("%d listings, want 2", l.count())
		}
		time.Sleep(20*time.Minute - time.Second)
		if got := names(mustGet(t, s, r)); got != "old" {
			t.Errorf("tools = %s", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, err := s.Get(t.Context(), r); !errors.Is(err, errDown) {
			t.Errorf("error = %v, want that of the listing", err)
		}
	})
}

func TestErrorsAreRememberedForAMoment(t *testing.T) {
	for name, failure := range map[string]error{"a failure": errDown, "a login": &upstream.AuthError{Status: 401, Challenge: []string{"Bearer"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &lister{next: fails(failure)}
				s := newStore(t, l, nil)
				r := identities(t)("x")
				for range 100 {
					if _, err := s.Get(t.Context(), r); !errors.Is(err, failure) {
						t.Fatalf("error = %v", err)
					}
					if _, _, err := s.Relist(t.Context(), r); !errors.Is(err, failure) {
						t.Fatalf("error = %v", err)
					}
				}
				if l.count() != 1 {
					t.Errorf("%d listings in a storm, want 1", l.count())
				}
				l.set(gives(named("a")))
				time.Sleep(2 * time.Second)
				mustGet(t, s, r)
			})
		})
	}
}

func TestALoginForgetsTheCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		auth := &upstream.AuthError{Status: 403}
		l := &lister{next: gives(named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		l.set(fails(auth))
		if c, _, err := s.Relist(t.Context(), r); c != nil || !errors.Is(err, auth) {
			t.Errorf("Relist = %v, %v", c, err)
		}
		if _, ok := s.Peek(r); ok {
			t.Errorf("the catalog is still there")
		}
		if st := s.Stats(); st.Builds != 0 || st.Bytes != 0 {
			t.Errorf("stats = %+v, want nothing held", st)
		}
	})
}

func TestForgetDropsACatalogAndTheListingOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(time.Second, named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		got := make(chan error)
		go func() {
			_, err := s.Get(t.Context(), r)
			got <- err
		}()
		synctest.Wait()
		s.Forget(r)
		if err := <-got; err != nil {
			t.Errorf("who waited got %v", err)
		}
		if _, ok := s.Peek(r); ok {
			t.Errorf("a listing begun before Forget was kept")
		}
		mustGet(t, s, r)
		s.Forget(r)
		if _, ok := s.Peek(r); ok || l.count() != 2 {
			t.Errorf("the catalog is still there, or listed %d times", l.count())
		}
	})
}

func TestHowLongAListingIsFresh(t *testing.T) {
	o := Options{}.withDefaults()
	for name, tc := range map[string]struct{ said, want time.Duration }{
		"not said is ours":                     {0, 10 * time.Minute},
		"negative is ours":                     {-1, 10 * time.Minute},
		"a shorter one of the upstream counts": {time.Minute, time.Minute},
		"but not below half a minute":          {time.Millisecond, 30 * time.Second},
		"and not above ours":                   {time.Hour, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			if got := o.fresh(&upstream.Listing{TTL: tc.said}); got != tc.want {
				t.Errorf("fresh(%v) = %v, want %v", tc.said, got, tc.want)
			}
		})
	}
	if got := (Options{TTL: time.Hour}).withDefaults().MaxStale; got != time.Hour {
		t.Errorf("MaxStale = %v with a TTL of an hour", got)
	}
	if got := (Options{TTL: time.Second}).withDefaults().fresh(&upstream.Listing{TTL: time.Minute}); got != time.Second {
		t.Errorf("fresh = %v with a TTL of a second", got)
	}
}

func TestRelistListsOnceInHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
			return &upstream.Listing{Tools: named(fmt.Sprintf("v%d", call))}, nil
		}}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		relist := func(want string, wantListed bool) {
			t.Helper()
			c, listed, err := s.Relist(t.Context(), r)
			if err != nil || names(c) != want || listed != wantListed {
				t.Fatalf("Relist = %v, %v, %v, want %s, %v", names(c), listed, err, want, wantListed)
			}
		}
		mustGet(t, s, r)
		relist("v2", true) // the first listing was no relisting
		for range 100 {
			relist("v2", false)
		}
		time.Sleep(30 * time.Second)
		relist("v3", true)
		relist("v3", false)
	})
}

func TestAFailedRelistGivesTheOldCatalogAndTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		l.set(fails(errDown))
		c, listed, err := s.Relist(t.Context(), r)
		if c == nil || listed || !errors.Is(err, errDown) {
			t.Errorf("Relist = %v, %v, %v", c, listed, err)
		}
		if c, ok := s.Peek(r); !ok || names(c) != "a" {
			t.Errorf("the old catalog left")
		}
	})
}

func TestAnUpstreamThatLeadsBackToUs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours := []string{"search_tools", "describe_tools", "call_read_tool"}
		r := identities(t)("x")
		for listed, loop := range map[string]bool{
			"search_tools describe_tools call_read_tool":       true,
			"call_read_tool search_tools describe_tools":       true,
			"search_tools describe_tools":                      false,
			"search_tools describe_tools call_read_tool extra": false,
			"search_tools describe_tools other":                false,
		} {
			s := newStore(t, &lister{next: gives(named(strings.Fields(listed)...))}, func(o *Options) { o.MetaTools = ours })
			_, err := s.Get(t.Context(), r)
			if errors.Is(err, ErrLoop) != loop {
				t.Errorf("%s: error = %v", listed, err)
			}
			if st := s.Stats(); loop && st.Builds != 0 {
				t.Errorf("a loop's tools are held")
			}
		}
	})
}

func TestWhatTheObserverHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hears := &recorder{}
		outcomes := []error{nil, errDown, &upstream.AuthError{Status: 401}, ErrLoop, errors.New("x"), nil}
		l := &lister{next: func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
			return &upstream.Listing{Tools: append(named("a"), []byte("7"))}, outcomes[call-1]
		}}
		s := newStore(t, l, func(o *Options) { o.Observer, o.MaxCallers = hears, 1 })
		as := identities(t)
		for i := range outcomes {
			_, _ = s.Get(t.Context(), as(fmt.Sprint(i)))
		}
		want := "listed ok 1; dropped {1 0 0}; listed unreachable 0; listed auth 0; listed loop 0; listed failed 0; listed ok 1; dropped {1 0 0}; evicted"
		if got := hears.String(); got != want {
			t.Errorf("heard %s\nwant  %s", got, want)
		}
	})
}

func TestASchemaThatDoesNotCompileIsCountedOnce(t *testing.T) {
	hears := &recorder{}
	s := newStore(t, &lister{next: gives(raw(`{"name":"a","inputSchema":{"$ref":"#/nowhere"}}`))}, func(o *Options) { o.Observer = hears })
	as := identities(t)
	for _, token := range []string{"x", "y", "x"} {
		if _, err := mustGet(t, s, as(token)).Lookup("a").Schema(); err == nil {
			t.Errorf("it compiles")
		}
	}
	if got := strings.Count(hears.String(), "uncompilable"); got != 1 {
		t.Errorf("counted %d times, want once", got)
	}
}

// asked is a Lister that writes down whether it was asked for a new listing.
type asked struct{ anew []bool }

func (l *asked) List(_ context.Context, _ upstream.Target, _ caller.Caller, opt upstream.ListOptions) (*upstream.Listing, error) {
	l.anew = append(l.anew, opt.Anew)
	return &upstream.Listing{Tools: named("a")}, nil
}

func TestOnlyARelistAsksForANewListing(t *testing.T) {
	l := &asked{}
	s := NewStore(Options{Lister: l})
	defer s.Close()
	r := identities(t)("a")
	if _, err := s.Get(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, listed, err := s.Relist(t.Context(), r); !listed || err != nil {
		t.Fatalf("listed %t, %v", listed, err)
	}
	if len(l.anew) != 2 || l.anew[0] || !l.anew[1] {
		t.Errorf("asked for a new one: %v", l.anew)
	}
}

func TestRenewServesTheOldCatalogUntilTheNewOneIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		l := &lister{next: func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
			if call == 2 {
				<-gate
			}
			return &upstream.Listing{Tools: named([]string{"a", "b", "c"}[:min(call, 3)]...)}, nil
		}}
		s := NewStore(Options{Lister: l})
		defer s.Close()
		r := identities(t)("x")
		tools := func() int {
			c, err := s.Get(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			return len(c.Tools())
		}
		if tools() != 1 {
			t.Fatal("no catalog to begin with")
		}
		renewed := make(chan error, 2)
		go func() { renewed <- s.Renew(t.Context(), r) }()
		synctest.Wait()
		go func() { renewed <- s.Renew(t.Context(), r) }() // one that came later lists once more
		synctest.Wait()
		if n := tools(); n != 1 {
			t.Errorf("%d tools while the listing is on its way, want the old one", n)
		}
		close(gate)
		for range 2 {
			if err := <-renewed; err != nil {
				t.Error(err)
			}
		}
		if n := tools(); n != 3 {
			t.Errorf("%d tools after both, want 3", n)
		}
	})
}
