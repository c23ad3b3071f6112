package bundles

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// catalog is the repository in which the community publishes bundles: operators/PACKAGE/VERSION. Others are of one operator, whose
// bundle is in bundle/.
const catalog = "k8s-operatorhub+community-operators"

// Newest is the newest bundle of each of so many packages, evenly taken from all: out of the folder that STEWARD_BUNDLES names, or
// else out of bare mirrors of repositories, OWNER+NAME/repo below STEWARD_MIRRORS or .mirror beside the project, and written into a
// folder. Without both there are none.
func Newest(ctx context.Context, root, folder string, most int) (paths []string, err error) {
	if paths, err = Mirrored(); err != nil || len(paths) > 0 {
		return evenly(NewestOfEach(paths), most), err
	}
	mirrors := os.Getenv("STEWARD_MIRRORS")
	if mirrors == "" {
		mirrors = filepath.Join(root, "..", ".mirror")
	}
	found, err := filepath.Glob(filepath.Join(mirrors, "*", "repo"))
	if err != nil {
		return nil, err
	}
	var all []mirrored
	for _, repository := range found {
		more, err := inMirror(ctx, repository)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	for _, each := range evenly(all, most) {
		path, err := each.unpack(ctx, folder)
		if err != nil {
			return nil, err
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// evenly takes as many of a list as are wanted, from its beginning to its end.
func evenly[T any](all []T, most int) (some []T) {
	for i := 0; i < len(all) && len(some) < most; i += max(1, len(all)/most) {
		some = append(some, all[i])
	}
	return some
}

// mirrored is a bundle in a bare mirror.
type mirrored struct{ repository, inside string }

func git(ctx context.Context, repository string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, "git", append([]string{"--git-dir", repository}, args...)...).Output()
}

// inMirror are the newest bundles of a mirror, sorted by path.
func inMirror(ctx context.Context, repository string) (found []mirrored, err error) {
	folder := "bundle/"
	if strings.HasSuffix(filepath.Dir(repository), catalog) {
		folder = "operators/"
	}
	listed, err := git(ctx, repository, "ls-tree", "-r", "-d", "--name-only", "HEAD", folder)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, each := range strings.Split(string(listed), "\n") {
		if inside, is := strings.CutSuffix(each, "/manifests"); is {
			paths = append(paths, inside)
		}
	}
	sort.Strings(paths)
	for _, inside := range NewestOfEach(paths) {
		found = append(found, mirrored{repository, inside})
	}
	return found, nil
}

// unpack writes it below a folder; "" where the mirror lacks files of it, or it has no ClusterServiceVersion.
func (m mirrored) unpack(ctx context.Context, folder string) (string, error) {
	packed, err := git(ctx, m.repository, "archive", "HEAD", m.inside)
	if err != nil {
		return "", ctx.Err()
	}
	into := filepath.Join(folder, filepath.Base(filepath.Dir(m.repository)))
	if err := os.MkdirAll(into, 0o755); err != nil {
		return "", err
	}
	tar := exec.CommandContext(ctx, "tar", "-x", "-C", into)
	tar.Stdin = bytes.NewReader(packed)
	if err := tar.Run(); err != nil {
		return "", err
	}
	path := filepath.Join(into, m.inside)
	b, err := Read(path)
	if err != nil || b.CSV == nil {
		return "", err
	}
	return path, nil
}
