package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// RequirementsFile lists the Python packages of the test clients, relative to the root, every version pinned.
const RequirementsFile = "e2e/clients/python/requirements.txt"

var noPython = &Missing{What: "Python 3.10 or newer with pip is not there", Next: "install it (Debian: apt-get install python3-pip)"}

// Python finds the Python interpreter with pip, 3.10 or newer. The error is a *Missing when there is none.
func Python(ctx context.Context) (string, error) {
	path, err := exec.LookPath("python3")
	if err != nil {
		return "", noPython
	}
	check := "import sys, pip; sys.exit(sys.version_info < (3, 10))"
	if exec.CommandContext(ctx, path, "-c", check).Run() != nil {
		return "", noPython
	}
	return path, nil
}

// PythonPath installs the test clients' Python packages once and returns the folder for PYTHONPATH.
// The error is a *Missing when there is no Python with pip.
func PythonPath(ctx context.Context) (string, error) {
	return PythonPackages(ctx, RequirementsFile, "py")
}

// PythonPackages installs the packages of a requirements file (relative to the root, every version pinned) once into
// .cache/into and returns that folder, for PYTHONPATH. The error is a *Missing when there is no Python with pip.
func PythonPackages(ctx context.Context, requirements, into string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	python, err := Python(ctx)
	if err != nil {
		return "", err
	}
	list := filepath.Join(root, filepath.FromSlash(requirements))
	key, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	version, err := exec.CommandContext(ctx, python, "-c", "import sys; print(sys.version_info[:2])").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", python, err)
	}
	dir := filepath.Join(root, ".cache", into)
	err = Once(dir, append(key, version...), func(fresh string) error {
		Say("Fetching the Python packages of %s", requirements)
		return run(ctx, root, python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check",
			"--root-user-action=ignore", "--only-binary=:all:", "--target", fresh, "-r", list)
	})
	if err != nil {
		return "", fmt.Errorf("install the Python packages of %s: %w", requirements, err)
	}
	return dir, nil
}
