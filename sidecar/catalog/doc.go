// Package catalog keeps each caller's tools: listed, judged, indexed, kept.
package catalog
