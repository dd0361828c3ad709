package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billOf is the bill of a binary that was built from the tree at root. It holds no time and no random number: the same
// binary has the same bill. -trimpath keeps the version that was linked in out of the build information, so that it is given.
func billOf(binary, root, version string) (*cdx.BOM, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: run make build", binary, err)
	}
	digest, err := sum(binary)
	if err != nil {
		return nil, err
	}
	bill := cdx.NewBOM()
	bill.Metadata = &cdx.Metadata{Component: &cdx.Component{BOMRef: info.Main.Path, Type: cdx.ComponentTypeApplication, Name: info.Main.Path,
		Version: version, Hashes: sha(digest)}}
	components := []cdx.Component{{BOMRef: "go", Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := cdx.Component{BOMRef: m.Path, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: "pkg:golang/" + m.Path + "@" + m.Version}
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil { // a digest of digests of its files, as in go.sum
			c.Hashes = sha(hex.EncodeToString(raw))
		}
		components = append(components, c)
	}
	files, err := embedded(root)
	if err != nil {
		return nil, err
	}
	components = append(components, files...)
	bill.Components = &components
	return bill, nil
}

// embedded are the data files in the program's own packages.
func embedded(root string) ([]cdx.Component, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,EmbedFiles,Module", "./cmd/mcp-toolsearch")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []cdx.Component
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			Dir        string
			EmbedFiles []string
			Module     *struct {
				Main bool
				Dir  string
			}
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if pkg.Module == nil || !pkg.Module.Main {
			continue
		}
		slices.Sort(pkg.EmbedFiles)
		for _, name := range pkg.EmbedFiles {
			path := filepath.Join(pkg.Dir, name)
			digest, err := sum(path)
			if err != nil {
				return nil, err
			}
			rel, err := filepath.Rel(pkg.Module.Dir, path)
			if err != nil {
				return nil, err
			}
			list = append(list, cdx.Component{BOMRef: filepath.ToSlash(rel), Type: cdx.ComponentTypeFile, Name: filepath.ToSlash(rel), Hashes: sha(digest)})
		}
	}
}

func sum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:]), nil
}

func sha(digest string) *[]cdx.Hash {
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: digest}}
}
