package model

// Tokens is how many tokens of text Embed makes its vector of. Words of the languages that the model knows are one to
// three; letters in a row that are no word are nearly as many as they are.
func (m *Model) Tokens(text string) int {
	s, _ := m.scratch.Get().(*scratch)
	if s == nil {
		s = &scratch{}
	}
	defer m.scratch.Put(s)
	s.ids = m.tokens.ids(replaceInvalid(text), s)
	return len(s.ids)
}
