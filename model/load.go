package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The files of a Model2Vec model.
const (
	TableFile     = "model.safetensors"
	TokenizerFile = "tokenizer.json"
	ConfigFile    = "config.json"
)

// defaultMaxLength is the number of tokens that count when config.json doesn't say.
const defaultMaxLength = 512

// config is what counts of a config.json.
type config struct {
	Normalize bool            `json:"normalize"`
	MaxLength json.RawMessage `json:"max_length"` // null: all tokens count; absent: defaultMaxLength
}

// Load reads a Model2Vec model from a folder, as model2vec 0.10.0 saves it: model.safetensors (float32, float16, float64
// or int8 rows; with or without mapping and weights), tokenizer.json (Unigram) and config.json. The rows stay as they are in
// the file, which is read once. An error names the file, what is wrong in it and what to do.
func Load(dir string) (*Model, error) {
	c, err := loadConfig(filepath.Join(dir, ConfigFile))
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, TokenizerFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, missing(dir, err)
	}
	v, err := parseTokenizer(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := v.limit(c); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ConfigFile), err)
	}
	name = filepath.Join(dir, TableFile)
	data, err := readString(name)
	if err != nil {
		return nil, missing(dir, err)
	}
	tensors, err := parseSafetensors(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: download or save the model again", name, err)
	}
	t, err := newTable(tensors, v, c.Normalize)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: are all files of the same model, saved by model2vec?", name, err)
	}
	return &Model{name: filepath.Base(dir), dim: t.dim, tokens: v.pipeline, rows: t}, nil
}

// missing says what a folder without one of the files lacks.
func missing(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: a model's folder holds %s, %s and %s; `mcp-toolsearch fetch-model --model-dir %s` downloads one",
			err, TableFile, TokenizerFile, ConfigFile, dir)
	}
	return err
}

func loadConfig(name string) (config, error) {
	var c config
	text, err := os.ReadFile(name)
	if err != nil {
		return c, missing(filepath.Dir(name), err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s: it is not what a config.json is: %w", name, err)
	}
	return c, nil
}

// limit sets how much of a text counts: characters first, so that long texts aren't cut into tokens in vain.
func (v *vocabulary) limit(c config) error {
	tokens := defaultMaxLength
	switch text := string(c.MaxLength); text {
	case "":
	case "null":
		v.pipeline.chars, v.pipeline.limit = -1, -1
		return nil
	default:
		if err := json.Unmarshal(c.MaxLength, &tokens); err != nil || tokens < 0 || tokens > 1<<30 {
			return fmt.Errorf("its max_length is %s: set a number of tokens, or null for all", text)
		}
	}
	v.pipeline.chars, v.pipeline.limit = tokens*v.median, tokens
	return nil
}

// readString reads a file without holding it twice.
func readString(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, f); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return b.String(), nil
}
