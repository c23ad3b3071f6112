package cluster

import (
	"context"
	"path/filepath"
)

// ApplyManifests applies folders of deploy/, one after the other.
func (c *Cluster) ApplyManifests(ctx context.Context, folders ...string) error {
	for _, folder := range folders {
		if _, err := c.Kubectl(ctx, "apply", "--server-side", "-k", filepath.Join(c.paths.root, "deploy", folder)); err != nil {
			return err
		}
	}
	return nil
}
