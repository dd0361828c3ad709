//go:build race

package main

const raceDetector = true // it makes everything ten times slower
