package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The commands of docs/install.md that neither install nor remove anything.
func TestInstallation(t *testing.T) {
	w := newWalk(t, "docs/install.md")
	text, err := os.ReadFile(filepath.Join(w.root, w.document))
	must(t, err)
	command := func(expression string) string {
		t.Helper()
		found := regexp.MustCompile("(?m)^" + expression + "$").FindString(string(text))
		if found == "" {
			t.Fatalf("no command is like %s", expression)
		}
		return found
	}
	list := command(`kubectl get csv -A .* \| grep delete-custom-resources`)
	w.does(t, 1, list)
	w.does(t, 0, `kubectl patch csv tidepool-postgres.v5.3.1 -n databases --type=merge -p '{"metadata":{"finalizers":["operatorframework.io/delete-custom-resources"]}}'`)
	w.says(t, w.does(t, 0, list), "tidepool-postgres.v5.3.1")

	w.does(t, 0, "kubectl create namespace steward-system")
	w.does(t, 0, "PASSWORD=secret && "+command(`kubectl create secret docker-registry .*`))
	w.says(t, w.does(t, 0, "kubectl get secret registry -n steward-system -o jsonpath='{.type}'"), "kubernetes.io/dockerconfigjson")
}
