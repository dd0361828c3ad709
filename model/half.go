package model

import "math"

// float16 widens an IEEE 754 half.
func float16(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, frac := uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 0: // zero and subnormals
		f := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// roundToHalf rounds to the nearest IEEE 754 half, ties to even, overflow to infinity.
func roundToHalf(x float64) float64 {
	if x == 0 || !finite(x) {
		return x
	}
	_, exp := math.Frexp(x)
	quantum := math.Ldexp(1, max(exp-1, -14)-10)
	rounded := math.RoundToEven(x/quantum) * quantum
	if math.Abs(rounded) > 65504 {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return rounded
}
