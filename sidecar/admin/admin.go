package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"
)

// Refresh lists the tools anew and says what there is, as something that encoding/json can write. Its error is for the
// operator to read.
type Refresh func(ctx context.Context) (any, error)

// Server serves /healthz, /readyz, /metrics and /refresh.
type Server struct {
	ready  atomic.Bool
	http   *http.Server
	net    net.Listener
	served chan error
}

// Options say what is served. Metrics, Refresh and Logger must be set.
type Options struct {
	Metrics http.Handler
	Refresh Refresh
	Pprof   bool // serve the program's profiles under /debug/pprof/
	Logger  *slog.Logger
}

// profileTime is more than the 30 seconds for which a profile is taken when nobody says otherwise.
const profileTime = 2 * time.Minute

// Listen starts serving on address (host:port). The server isn't ready until SetReady(true).
func Listen(ctx context.Context, address string, o Options) (*Server, error) {
	var lc net.ListenConfig
	lis, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the admin listener can't listen on %s: %w; choose another --admin-listen", address, err)
	}
	s := &Server{net: lis, served: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("GET /metrics", o.Metrics)
	mux.HandleFunc("POST /refresh", s.refresh(o.Refresh))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, // a refresh sets its own
		MaxHeaderBytes: 16 << 10,
		ErrorLog:       slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)}
	if o.Pprof {
		profiles(mux)
		s.http.WriteTimeout = profileTime
	}
	go func() {
		defer close(s.served)
		s.served <- s.http.Serve(lis)
	}()
	return s, nil
}

// profiles serves what package pprof has, but not the command line: settings on it may be secrets.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	if !s.ready.Load() {
		say(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	say(w, http.StatusOK, "ready")
}

// refreshTimeout bounds a refresh: a slow server has two minutes for its list.
const refreshTimeout = 150 * time.Second

func (s *Server) refresh(list Refresh) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" { // a page in a browser has no business here
			say(w, http.StatusForbidden, "a refresh is not for browsers")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), refreshTimeout)
		defer cancel()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(refreshTimeout + 5*time.Second)) // without it the usual time counts
		report, err := list(ctx)
		if err != nil {
			say(w, http.StatusConflict, err.Error())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(report) // who asked may have left
	}
}

func say(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text + "\n")) // a probe that went away needs no answer
}

// Addr is the address that is listened on.
func (s *Server) Addr() net.Addr { return s.net.Addr() }

// SetReady says what /readyz answers.
func (s *Server) SetReady(ready bool) { s.ready.Store(ready) }

// Failed delivers the error when serving ends before Shutdown.
func (s *Server) Failed() <-chan error { return s.served }

// Shutdown ends the server; requests under way have until ctx ends and are cut off then, which is an error.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("a request to the admin listener was cut off: %w", err), s.http.Close())
	}
	if served, ok := <-s.served; ok && !errors.Is(served, http.ErrServerClosed) {
		return errors.Join(err, served)
	}
	return err
}
