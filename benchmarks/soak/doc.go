// Package soak lets 64 clients work through the product on eight MCP servers while these are killed and restarted at
// random: make soak for half an hour, a minute of it with the other tests. The product is the built program with an
// mcpServers file; half of its clients have sessions, half of the servers keep them, two are local commands.
//
// Invariants:
//
//  1. Every request is answered, and by the answer to itself: each carries a marker of its caller and call, and a server
//     that keeps sessions tells when two callers share one (TestSoak).
//  2. Only calls of a server that was just killed fail; when the kills are over all succeed (TestSoak).
//  3. Goroutines, open files and memory are flat from the first quarter to the end, and what the clients used is given
//     back when they have left (TestSoak).
package soak
