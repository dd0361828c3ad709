// Package text turns names and prose into index terms.
package text
