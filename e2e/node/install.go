package node

import (
	"context"
	"path/filepath"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Install brings OLM's APIs, the project's example operators, and Steward, as `./dev image` leaves its manifests in a folder. It returns
// once the API is available. The node has been started with the image.
func (n *Node) Install(ctx context.Context, folder string) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, n.Any, root); err != nil {
		return err
	}
	objects, err := olm.Examples(root)
	if err != nil {
		return err
	}
	if err := olm.Create(ctx, n.Any, objects...); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"apply", "-f", filepath.Join(folder, "install.yaml")},
		{"wait", "--for=create", "apiservice/" + cluster.APIServiceName, "--timeout=5m"},
		{"wait", "apiservice", cluster.APIServiceName, "--for=condition=Available", "--timeout=5m"},
	} {
		if _, err := n.Kubectl(ctx, command...); err != nil {
			return err
		}
	}
	return nil
}
