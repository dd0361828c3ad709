package fetch

import "mcp-toolsearch/model"

// File is what a file must be.
type File struct {
	Name   string
	Size   int64  // bytes
	SHA256 string // hexadecimal
}

// Source is a folder on the web with a model's files.
type Source struct {
	URL   string // of the folder
	Files []File
}

// LargeURL is where the hub keeps the pinned revision of the large model.
const LargeURL = "https://huggingface.co/minishlab/potion-multilingual-128M/resolve/73908c3438cf03b6a01bcb9611d62b23d0726f08"

// Large is potion-multilingual-128M (MIT; 500,353 rows of 256 float32, 101 languages) in a folder; an empty url means
// the hub. The digests pin the revision wherever the files come from. The table comes last: a folder with a table is
// complete.
func Large(url string) Source {
	if url == "" {
		url = LargeURL
	}
	return Source{URL: url, Files: []File{
		{model.ConfigFile, 271, "595e4cab2093732efd5dbe084fd5c1826b5eea693b73b4c1fd971672867d2e54"},
		{model.TokenizerFile, 18_616_131, "19f1909063da3cfe3bd83a782381f040dccea475f4816de11116444a73e1b6a1"},
		{model.TableFile, 512_361_560, "14b5eb39cb4ce5666da8ad1f3dc6be4346e9b2d601c073302fa0a31bf7943397"},
	}}
}

// Size is the size of all files in bytes.
func (s Source) Size() int64 {
	var n int64
	for _, f := range s.Files {
		n += f.Size
	}
	return n
}
