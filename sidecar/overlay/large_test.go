package overlay

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := os.WriteFile(path, bytes.Repeat([]byte("#\n"), maxFile/2+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("Open = %v", err)
	}
}
