//go:build !race

package main

const raceDetector = false // it makes everything ten times slower
