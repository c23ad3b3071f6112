package installplans_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/examples"
	"steward.dev/e2e/olm"
)

// bundlePreviews applies the account of the component bundle-previews, and is a file with its token.
func bundlePreviews(t *testing.T) string {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	_, err = shared.Kubectl(t.Context(), "apply", "--server-side", "-f",
		filepath.Join(root, "deploy", "overlays", "install-plans", "bundle-previews", "rbac.yaml"))
	must(t, err)
	file := filepath.Join(t.TempDir(), "token")
	eventually(t, func() error {
		secret, err := shared.Kube.CoreV1().Secrets(accountNamespace).Get(t.Context(), "steward-bundle-previews", metav1.GetOptions{})
		if err == nil && len(secret.Data["token"]) == 0 {
			err = fmt.Errorf("the Secret has no token yet")
		}
		if err != nil {
			return err
		}
		return os.WriteFile(file, secret.Data["token"], 0o600)
	})
	return file
}

// The clients in examples/grpc ask the process that executes plans, under its own rights: what would become of a plan that waits for
// its approval, and of a bundle, as whoever asks. Nothing is written by that.
func TestExamples_R_PRJ_07_Plans(t *testing.T) {
	namespace := space(t)
	dir := t.TempDir()
	authority, err := cluster.NewAuthority("plans-ca")
	must(t, err)
	ca, err := authority.Write(dir, "ca")
	must(t, err)
	server, err := authority.Server(dir, "server", "localhost")
	must(t, err)
	admin, err := authority.Client(dir, "admin", "wilma")
	must(t, err)
	tenant, err := authority.Client(dir, "tenant", "tom")
	must(t, err)
	for _, binding := range [][]string{
		{"clusterrolebinding", "plans-wilma", "--clusterrole=cluster-admin", "--user=wilma"},
		{"rolebinding", "plans-tom", "--clusterrole=steward-plan-previews", "--user=tom", "--namespace=" + namespace},
	} {
		_, err := shared.Kubectl(t.Context(), append([]string{"create"}, binding...)...)
		must(t, err)
	}
	address, err := cluster.FreeAddress()
	must(t, err)
	restarted(t, "--grpc-bind-address="+address, "--grpc-tls-cert-file="+server.Cert, "--grpc-tls-private-key-file="+server.Key,
		"--grpc-client-ca-file="+ca, "--bundle-preview-token-file="+bundlePreviews(t))

	operator, settings := csv(namespace, "asked.v1"), configMap(namespace, "asked")
	plan := planned(t, namespace, "asked", "asked.v1", mandatory(operator), mandatory(settings), optional(autoscaler("", "asked")))
	plan.Object["spec"].(map[string]any)["approved"] = false
	plan.Object["status"].(map[string]any)["phase"] = "RequiresApproval"
	install(t, plan)
	files := []string{}
	for number, manifest := range []*olm.Object{operator, settings} {
		text, err := json.Marshal(manifest.Object)
		must(t, err)
		file := filepath.Join(dir, fmt.Sprintf("%d.json", number))
		must(t, os.WriteFile(file, text, 0o600))
		files = append(files, file)
	}
	bundle := append([]string{"plans", "preview", namespace, "bundle"}, files...)
	for _, language := range examples.Languages {
		t.Run(language, func(t *testing.T) {
			client := examples.Prepare(t, language, address, ca, admin)
			says := func(client examples.Client, words []string, wants ...string) {
				t.Helper()
				said := examples.Run(t, client.Base, words...)
				for _, want := range wants {
					if !strings.Contains(said, want) {
						t.Errorf("%q: %q lacks %q", words, said, want)
					}
				}
			}
			eventually(t, func() error {
				if said := examples.Run(t, client.Base, "plans", "list"); !strings.Contains(said, namespace+" asked RequiresApproval 3 steps") {
					return fmt.Errorf("list: %q", said)
				}
				return nil
			})
			says(client, client.Once("plans", "watch"), namespace+" asked RequiresApproval 3 steps")
			says(client, []string{"plans", "preview", namespace, "asked"}, "Create ClusterServiceVersion "+namespace+" asked.v1 by DryRun: ",
				"Create ConfigMap "+namespace+" asked by DryRun: ", "NotCreated VerticalPodAutoscaler  asked by Rule: ApiAbsent")
			says(client, bundle, "Create ClusterServiceVersion "+namespace+" asked.v1 by DryRun: ", "Create ConfigMap "+namespace+" asked by DryRun: ")
			// Who may ask, and do nothing else, is told no more than kubectl would tell.
			says(examples.Prepare(t, language, address, ca, tenant), bundle, "Unknown ClusterServiceVersion "+namespace+" asked.v1 by Rule: Forbidden",
				"Fail ConfigMap "+namespace+" asked by DryRun: Forbidden")
		})
	}
	missing(t, olm.CSVs, namespace, "asked.v1")
	missing(t, core("configmaps"), namespace, "asked")
}
