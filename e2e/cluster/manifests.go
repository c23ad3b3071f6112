package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var isAPIService = regexp.MustCompile(`(?m)^kind: APIService$`)

// ApplyManifests applies folders of deploy/, one after the other, but for the APIService: where nobody serves it, no
// namespace can be deleted.
func (c *Cluster) ApplyManifests(ctx context.Context, folders ...string) error {
	for _, folder := range folders {
		text, err := c.Kubectl(ctx, "kustomize", filepath.Join(c.paths.root, "deploy", folder))
		if err != nil {
			return err
		}
		var wanted []string
		for _, document := range strings.Split(text, "\n---\n") {
			if !isAPIService.MatchString(document) {
				wanted = append(wanted, document)
			}
		}
		file := filepath.Join(c.Dir, "manifests-"+filepath.Base(folder)+".yaml")
		if err := os.WriteFile(file, []byte(strings.Join(wanted, "\n---\n")), 0o644); err != nil {
			return err
		}
		_, err = c.Kubectl(ctx, "apply", "--server-side", "-f", file)
		if err := errors.Join(err, os.Remove(file)); err != nil {
			return err
		}
	}
	return nil
}
