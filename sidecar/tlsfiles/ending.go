package tlsfiles

import (
	"log/slog"
	"time"
)

// longestNotice is how long before its end a certificate is spoken of; of one that lives shorter it is a quarter of its
// life. Renewals come at two thirds of a life, so that this says that one has failed.
const longestNotice = 14 * 24 * time.Hour

// notice is what was said about an end.
type notice struct {
	at          time.Time // the end that was spoken of
	soon, ended bool
}

// remind says once that the certificate ends soon, and once that it has ended.
func (f *Files) remind(log *slog.Logger) {
	s := f.now.Load()
	if s.pair == nil {
		return
	}
	if f.ended.at != s.pairEnds {
		f.ended = notice{at: s.pairEnds}
	}
	left := s.pairEnds.Sub(f.o.Now())
	switch {
	case left <= 0 && !f.ended.ended:
		f.ended = notice{at: s.pairEnds, soon: true, ended: true}
		log.Error(f.o.What+" has ended: whoever checks it connects no more; renew the files", f.attributes()...)
	case left > 0 && left < min(longestNotice, s.pairLasts/4) && !f.ended.soon:
		f.ended.soon = true
		log.Warn(f.o.What+" ends soon: renew the files, they are read again by themselves", f.attributes()...)
	}
}
