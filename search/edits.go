package search

// edits returns the Damerau-Levenshtein distance (optimal string alignment) of
// two strings in runes, or most+1 when it is greater than most.
func edits(a, b string, most int) int {
	if len(a) > maxEditBytes || len(b) > maxEditBytes {
		return most + 1
	}
	var ra, rb [maxEditBytes]rune
	x, y := runes(ra[:0], a), runes(rb[:0], b)
	if abs(len(x)-len(y)) > most {
		return most + 1
	}
	var rows [3][maxEditBytes + 1]int
	for j := range len(y) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		if fillRow(&rows, i, x, y) > most {
			return most + 1
		}
	}
	return min(rows[len(x)%3][len(y)], most+1)
}

// maxEditBytes bounds what is compared letter by letter.
const maxEditBytes = 128

// fillRow fills row i of the distance table and returns its least value.
func fillRow(rows *[3][maxEditBytes + 1]int, i int, x, y []rune) int {
	row, above, twoAbove := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
	row[0] = i
	least := i
	for j := 1; j <= len(y); j++ {
		change := 1
		if x[i-1] == y[j-1] {
			change = 0
		}
		d := min(above[j]+1, row[j-1]+1, above[j-1]+change)
		if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
			d = min(d, twoAbove[j-2]+1)
		}
		row[j] = d
		least = min(least, d)
	}
	return least
}

func runes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
