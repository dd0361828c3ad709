package search

// edits returns the Damerau-Levenshtein distance (optimal string alignment) of
// two strings in runes, or most+1 when it is greater than most or when one of
// them is longer than maxEditBytes.
func edits(a, b string, most int) int {
	if len(a) > maxEditBytes || len(b) > maxEditBytes {
		return most + 1
	}
	var ra, rb [maxEditBytes]rune
	x, y := runes(ra[:0], a), runes(rb[:0], b)
	if abs(len(x)-len(y)) > most {
		return most + 1
	}
	var rows editRows
	for j := range min(len(y), most) + 1 {
		rows[0][j] = int16(j)
	}
	for i := 1; i <= len(x); i++ {
		if rows.fill(i, x, y, most) > most {
			return most + 1
		}
	}
	return min(int(rows[len(x)%3][len(y)]), most+1)
}

// maxEditBytes bounds what is compared letter by letter.
const maxEditBytes = 128

// editRows are the last three rows of the distance table.
type editRows [3][maxEditBytes + 2]int16

// fill computes row i, no further than most columns from the diagonal, and
// returns its least value. Cells next to the band count as too far.
func (rows *editRows) fill(i int, x, y []rune, most int) int {
	row, above, twoAbove := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
	far := int16(most + 1)
	from, to := max(1, i-most), min(len(y), i+most)
	row[from-1] = far
	if from == 1 {
		row[0] = int16(i)
	}
	if i+most <= len(y) {
		above[to] = far
	}
	least := row[from-1]
	for j := from; j <= to; j++ {
		change := int16(1)
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
	return int(least)
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
