package stdio

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inherited tells the variables that every command gets: what programs need to find their folders and their language.
// Everything else of ours, tokens above all, stays here unless the configuration names it.
func inherited(name string) bool {
	if runtime.GOOS == "windows" {
		switch strings.ToUpper(name) {
		case "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
			"PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR":
			return true
		}
		return false
	}
	switch name {
	case "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// environment is what a command gets: the inherited part of environ (KEY=value), and what was configured for it.
func environment(environ []string, configured map[string]string) []string {
	var out []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if _, own := configured[name]; own || !inherited(name) || strings.HasPrefix(value, "()") { // a shell's exported function
			continue
		}
		out = append(out, entry)
	}
	for name, value := range configured {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

var errNoProgram = errors.New("its command was not found")

// program is the file of a command: a path as it is (from dir when it is relative), a name from the PATH that the command
// itself gets.
func program(command, dir string, environ []string) (string, error) {
	if strings.ContainsRune(filepath.ToSlash(command), '/') {
		if !filepath.IsAbs(command) && dir != "" {
			command = filepath.Join(dir, command)
		}
		return found(command)
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if name != "PATH" && (runtime.GOOS != "windows" || !strings.EqualFold(name, "PATH")) {
			continue
		}
		for _, folder := range filepath.SplitList(value) {
			if path, err := found(filepath.Join(folder, command)); err == nil && folder != "" {
				return path, nil
			}
		}
	}
	return "", errNoProgram
}

func found(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", errNoProgram
	}
	if path, err = exec.LookPath(path); err != nil { // says that it can be run; on Windows it adds the ending
		return "", errNoProgram
	}
	return path, nil
}
