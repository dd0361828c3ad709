package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mcp-toolsearch/model"
)

// fileMistakes are those of the files that settings name. All files are looked at before anything starts; a model is
// too large to be read twice, so of it only that its files are there.
func (s *Settings) fileMistakes() []error {
	var mistakes []error
	if _, _, err := s.openOverlay(); err != nil {
		mistakes = append(mistakes, err)
	}
	if name, folder := s.modelFolder(); folder != "" {
		if err := modelMistake(name, folder); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// fileMistake says in plain words why a file can't be read.
func fileMistake(name, path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: file not found: %s; correct the path, or put the file there", name, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %s may not be read by this user: change its permissions", name, path)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s: %s is a folder: name the file in it", name, path)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %s is in no folder: a part of its path is a file; correct the path", name, path)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// modelFolder is the folder of the model in use, and the setting that named it; "" for the embedded model and for none.
func (s *Settings) modelFolder() (name, folder string) {
	switch {
	case s.Embedder == embedderNone:
		return "", ""
	case s.Embedder != embedderEmbedded:
		return "--embedder", s.Embedder
	}
	return "--model-dir", s.ModelDir
}

func modelMistake(name, folder string) error {
	for _, file := range []string{model.ConfigFile, model.TokenizerFile, model.TableFile} {
		path := filepath.Join(folder, file)
		f, err := os.Open(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s: file not found: %s; a model's folder holds %s, %s and %s, and `mcp-toolsearch fetch-model --model-dir %s` downloads one",
				name, path, model.TableFile, model.TokenizerFile, model.ConfigFile, folder)
		case err != nil:
			return fileMistake(name, path, err)
		}
		_ = f.Close() // it was only opened to see whether it can be
	}
	return nil
}
