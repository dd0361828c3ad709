package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// Listener is a running HTTP door.
type Listener struct {
	door   *Door
	http   *http.Server
	net    net.Listener
	served chan error
}

// Listen opens a door on address, host:port. It returns when the socket accepts connections; Shutdown ends it.
func Listen(ctx context.Context, o Options, address string) (*Listener, error) {
	var lc net.ListenConfig
	lis, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the HTTP door can't listen on %s: %w; choose another --listen", address, err)
	}
	tcp, ok := lis.Addr().(*net.TCPAddr)
	o.Loopback = ok && tcp.IP.IsLoopback()
	d, err := New(o)
	if err != nil {
		return nil, errors.Join(err, lis.Close())
	}
	if !o.Loopback {
		o.warnOpen(lis.Addr().String())
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true) // one connection holds a client's many streams
	l := &Listener{door: d, net: lis, served: make(chan error, 1), http: &http.Server{Handler: d, Protocols: protocols, MaxHeaderBytes: 64 << 10, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: log.New(io.Discard, "", 0)}} // no time for an answer: streams last
	l.http.TLSConfig = o.TLS
	go func() {
		defer close(l.served)
		if err := l.serve(lis); !errors.Is(err, http.ErrServerClosed) {
			l.served <- err
		}
	}()
	return l, nil
}

func (l *Listener) serve(lis net.Listener) error {
	if tcp, ok := lis.(*net.TCPListener); ok {
		lis = jsonListener{TCPListener: tcp, tls: l.http.TLSConfig != nil, gate: l.door.o.Bounds.Connections}
	}
	if l.http.TLSConfig != nil {
		return l.http.ServeTLS(lis, "", "")
	}
	return l.http.Serve(lis)
}

// warnOpen says what it means that other machines reach the door.
func (o Options) warnOpen(address string) {
	switch {
	case o.TLS != nil && o.TLS.ClientAuth == tls.RequireAndVerifyClientCert:
		return // who connects has a certificate that was asked for
	case o.Bearer == nil && o.Shared:
		o.Logger.Warn("ANYBODY WHO REACHES THIS ADDRESS CAN USE EVERY TOOL with the credentials configured here: no token is asked for. "+
			"Set --token-file, put a gateway that checks callers in front, or listen on 127.0.0.1.", "listen", address, "tls", o.TLS != nil)
	case o.Bearer == nil:
		o.Logger.Warn("the HTTP door can be reached from other machines: callers are checked by the upstream alone. "+
			"Put a gateway in front, set --token-file where the upstream checks nobody, or listen on 127.0.0.1.", "listen", address, "tls", o.TLS != nil)
	}
	if o.TLS == nil {
		o.Logger.Warn("the HTTP door can be reached from other machines without TLS: tokens can be read on the way. "+
			"Set --tls-cert and --tls-key, or put a gateway with TLS in front.", "listen", address)
	}
}

// Addr is the address that is listened on.
func (l *Listener) Addr() net.Addr { return l.net.Addr() }

// Failed delivers the error when serving ends before Shutdown.
func (l *Listener) Failed() <-chan error { return l.served }

// Shutdown drains: it serves on for the time of notice, so that whoever balances the load has seen that the program
// isn't ready; then it ends the streams that have no end of their own and waits for the answers under way. When ctx ends
// they are cut.
func (l *Listener) Shutdown(ctx context.Context, notice time.Duration) {
	timer := time.NewTimer(notice)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	l.door.leave()
	if l.http.Shutdown(ctx) != nil {
		_ = l.http.Close() // only says that sockets were closed already
	}
}
