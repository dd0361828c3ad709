package tlsfiles_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/sidecar/tlsfiles"
)

// heard is what an observer hears.
type heard struct {
	ends    map[string]time.Time
	reloads []string
	gone    []string
}

func (h *heard) CertificateEnds(role, server, what string, at time.Time) {
	if h.ends == nil {
		h.ends = map[string]time.Time{}
	}
	h.ends[strings.Join(strings.Fields(role+" "+server+" "+what), " ")] = at
}
func (h *heard) CertificateReloaded(_, _, outcome string) { h.reloads = append(h.reloads, outcome) }
func (h *heard) CertificateGone(role, server string)      { h.gone = append(h.gone, role+server) }

// rig is a set with one pair of files.
type rig struct {
	paths     certificates.Files
	authority *certificates.Authority
	files     *tlsfiles.Files
	set       *tlsfiles.Set
	heard     heard
	log       bytes.Buffer
	now       time.Time
}

func options(paths certificates.Files) tlsfiles.Options {
	return tlsfiles.Options{What: "the certificate of the door", Role: "door", Cert: tlsfiles.Named{Setting: "--cert", Path: paths.Cert},
		Key: tlsfiles.Named{Setting: "--key", Path: paths.Key}, CA: tlsfiles.Named{Setting: "--ca", Path: paths.CA}}
}

func newRig(t *testing.T, change func(*tlsfiles.Options)) *rig {
	t.Helper()
	r := &rig{paths: certificates.In(t.TempDir()), authority: certificates.NewAuthority(t), now: time.Now()}
	r.paths.Write(t, r.authority, certificates.Leaf{})
	o := options(r.paths)
	o.Now = func() time.Time { return r.now }
	if change != nil {
		change(&o)
	}
	var err error
	if r.files, err = tlsfiles.Open(o); err != nil {
		t.Fatal(err)
	}
	r.set = tlsfiles.NewSet(slog.New(slog.NewTextHandler(&r.log, nil)), &r.heard)
	t.Cleanup(r.set.Add(r.files))
	return r
}

// serial is that of the certificate that is shown now.
func (r *rig) serial(t *testing.T) int64 {
	t.Helper()
	c, err := r.files.Server("h2").GetConfigForClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Certificates[0].Leaf.SerialNumber.Int64()
}

func TestABadFileKeepsWhatWasThere(t *testing.T) {
	_, otherKey := certificates.NewAuthority(t).Issue(t, certificates.Leaf{})
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, r *rig)
		want  string
	}{
		{"another key", func(t *testing.T, r *rig) { certificates.Put(t, r.paths.Key, otherKey) }, "no pair of certificate and key"},
		{"no key at all", func(t *testing.T, r *rig) { certificates.Put(t, r.paths.Key, []byte("m4rk")) }, "no private key that can be used"},
		{"no certificate", func(t *testing.T, r *rig) { certificates.Put(t, r.paths.Cert, []byte("m4rk")) }, "holds no certificate"},
		{"no authority", func(t *testing.T, r *rig) { certificates.Put(t, r.paths.CA, []byte("m4rk")) }, "holds no certificate"},
		{"a file that is gone", func(t *testing.T, r *rig) {
			if err := os.Remove(r.paths.Cert); err != nil {
				t.Fatal(err)
			}
		}, "no such file"},
		{"a certificate that has ended", func(t *testing.T, r *rig) {
			r.paths.Write(t, r.authority, certificates.Leaf{Serial: 2, To: time.Now().Add(-time.Minute)})
		}, "ended at"},
		{"an authority that has ended", func(t *testing.T, r *rig) {
			certificates.Put(t, r.paths.CA, certificates.AuthorityUntil(t, time.Now().Add(-time.Minute)).PEM)
		}, "every authority"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			c.spoil(t, r)
			for range 4 {
				r.set.Look()
			}
			said := r.log.String()
			if r.serial(t) != 1 || strings.Count(said, "level=ERROR") != 1 || !strings.Contains(said, c.want) || strings.Contains(said, "m4rk") {
				t.Errorf("certificate %d, want 1; log, want one error with %q:\n%s", r.serial(t), c.want, said)
			}
			r.paths.Write(t, r.authority, certificates.Leaf{Serial: 3})
			r.set.Look()
			if got := fmt.Sprint(r.serial(t), r.heard.reloads); got != "3 [refused taken]" {
				t.Errorf("after the correction: %s", got)
			}
		})
	}
}

func TestHalfWrittenFilesAreWaitedFor(t *testing.T) {
	r := newRig(t, nil)
	cert, key := r.authority.Issue(t, certificates.Leaf{Serial: 2})
	certificates.Put(t, r.paths.Cert, cert)
	r.set.Look() // between the two
	if r.serial(t) != 1 {
		t.Error("half of a pair is in use")
	}
	certificates.Put(t, r.paths.Key, key)
	r.set.Look()
	if r.serial(t) != 2 || strings.Contains(r.log.String(), "ERROR") || fmt.Sprint(r.heard.reloads) != "[taken]" {
		t.Errorf("certificate %d, reloads %v, log %s", r.serial(t), r.heard.reloads, r.log.String())
	}
	r.set.Look()
	if len(r.heard.reloads) != 1 {
		t.Errorf("what didn't change was taken again: %v", r.heard.reloads)
	}
}

func TestMistakesOfFiles(t *testing.T) {
	a := certificates.NewAuthority(t)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, o *tlsfiles.Options)
		want   string
	}{
		{"half a pair", func(_ *testing.T, o *tlsfiles.Options) { o.Key.Path = "" }, "--cert and --key belong together"},
		{"no files", func(_ *testing.T, o *tlsfiles.Options) { o.CA.Path += "x"; o.Key.Path += "x" }, "--ca: open"},
		{"a file without end", func(_ *testing.T, o *tlsfiles.Options) { o.CA.Path = "/dev/zero" }, "larger than"},
		{"a broken certificate", func(t *testing.T, o *tlsfiles.Options) {
			certificates.Put(t, o.Cert.Path, []byte("-----BEGIN CERTIFICATE-----\nbTRyaw==\n-----END CERTIFICATE-----\n"))
		}, "holds a certificate that can't be read"},
		{"a key with a passphrase", func(t *testing.T, o *tlsfiles.Options) {
			certificates.Put(t, o.Key.Path, []byte("-----BEGIN ENCRYPTED "+"PRIVATE KEY-----\nbTRyaw==\n-----END ENCRYPTED PRIVATE KEY-----\n"))
		}, "without a passphrase"},
	} {
		t.Run(c.name, func(t *testing.T) {
			paths := certificates.In(t.TempDir())
			paths.Write(t, a, certificates.Leaf{})
			o := options(paths)
			c.change(t, &o)
			_, err := tlsfiles.Open(o)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "bTRyaw") || strings.Contains(err.Error(), "m4rk") {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestTheEndIsSaidBefore(t *testing.T) {
	r := newRig(t, nil)
	start := r.now
	ends := r.heard.ends["door certificate"]
	if left := ends.Sub(start); left < 50*time.Minute || left > time.Hour || r.heard.ends["door authority"].Sub(start) < 23*time.Hour {
		t.Errorf("the ends are told as %v", r.heard.ends)
	}
	for _, c := range []struct {
		left       time.Duration
		warn, fail int
	}{{40 * time.Minute, 0, 0}, {29 * time.Minute, 1, 0}, {time.Minute, 1, 0}, {-time.Second, 1, 1}, {-time.Hour, 1, 1}} {
		r.now = ends.Add(-c.left)
		r.set.Look()
		if warn, fail := strings.Count(r.log.String(), "level=WARN"), strings.Count(r.log.String(), "level=ERROR"); warn != c.warn || fail != c.fail {
			t.Errorf("%s before the end: %d warnings and %d errors, want %d and %d", c.left, warn, fail, c.warn, c.fail)
		}
	}
	r.now = start
	r.paths.Write(t, r.authority, certificates.Leaf{Serial: 2, To: start.Add(2 * time.Hour)})
	r.set.Look()
	if got := r.heard.ends["door certificate"].Sub(start); got < 119*time.Minute {
		t.Errorf("after the renewal the end is in %s", got)
	}
}

func TestAnOldAuthorityMayStayInABundle(t *testing.T) {
	r := newRig(t, nil)
	old := certificates.AuthorityUntil(t, time.Now().Add(-time.Hour))
	certificates.Put(t, r.paths.CA, append(old.PEM, r.authority.PEM...))
	r.set.Look()
	if left := time.Until(r.heard.ends["door authority"]); fmt.Sprint(r.heard.reloads) != "[taken]" || left < 23*time.Hour {
		t.Errorf("reloads %v, the next end in %s", r.heard.reloads, left)
	}
}

func TestFilesThatLeaveAreNotLookedAt(t *testing.T) {
	r := newRig(t, nil)
	same, err := tlsfiles.Open(options(r.paths))
	if err != nil {
		t.Fatal(err)
	}
	remove := r.set.Add(same)
	remove()
	if len(r.heard.gone) > 0 {
		t.Errorf("%v is gone while files of its role are there", r.heard.gone)
	}
	other := options(certificates.In(t.TempDir()))
	other.Role, other.Server, other.Cert, other.Key, other.CA = "server", "mail", tlsfiles.Named{}, tlsfiles.Named{}, tlsfiles.Named{Setting: "tlsCA", Path: filepath.Join(t.TempDir(), "ca")}
	certificates.Put(t, other.CA.Path, r.authority.PEM)
	f, err := tlsfiles.Open(other)
	if err != nil {
		t.Fatal(err)
	}
	remove = r.set.Add(f)
	remove()
	remove()
	if fmt.Sprint(r.heard.gone) != "[servermail]" {
		t.Errorf("gone: %v", r.heard.gone)
	}
}
