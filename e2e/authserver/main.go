package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where to serve: host:port")
	flag.Parse()
	if err := run(*listen); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(listen string) error {
	lis, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	h, err := newServer("http://" + lis.Addr().String())
	if err != nil {
		return err
	}
	server := http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(lis)
}
