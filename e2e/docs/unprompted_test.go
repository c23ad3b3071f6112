package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
)

const (
	migration = "TestMigration_R_004_30_34_IsAWayThereAndBack"
	itself    = "TestItself_InstalledUpgradedRemoved of e2e/realolm, beside the real OLM"
)

// unprompted are the commands that stand in a document without a prompt, since it shows no output of them; and what runs them.
var unprompted = map[string]string{
	"./dev up":                "TestReadme, with its prompt further below",
	"./dev up --real-cluster": "it is cmd/up, which needs minutes and a terminal: nothing",
	"./dev test":              "it is what runs this",

	"./dev image": "e2e/node, whose image it makes",
	"kubectl get csv -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,FINALIZERS:.metadata.finalizers | grep delete-custom-resources": "TestInstallation",
	"kubectl steward doctor": "e2e/doctor, on a cluster with all that it looks at",
	"kubectl label namespace steward-system pod-security.kubernetes.io/enforce=privileged --overwrite": "TestInstallation",
	"kubectl apply -k deploy/mine": "TestImages_OneNameReachesAll of e2e/deploy builds each overlay that the documents show",
	`kubectl create secret docker-registry registry -n steward-system --docker-server=registry.example.com --docker-username=puller --docker-password="$PASSWORD"`: "TestInstallation",
	"./dev image --arch=amd64,arm64":                                                                                                 "tools/dev/arm64_test.sh looks at such an image, where bin/steward-arm64 was built",
	"./dev image --push registry.example.com/steward":                                                                                "e2e/registry, to a registry of its own, by its functions",
	"COSIGN_PASSWORD=… ./dev image --push registry.example.com/steward --sign-key cosign.key":                                        "e2e/registry, to a registry of its own, by its functions",
	"cosign verify --key cosign.pub --insecure-ignore-tlog registry.example.com/steward@sha256:…":                                    "TestSign of e2e/registry",
	"cosign verify-attestation --key cosign.pub --insecure-ignore-tlog --type slsaprovenance1 registry.example.com/steward@sha256:…": "TestSign of e2e/registry",
	"cosign verify-attestation --key cosign.pub --insecure-ignore-tlog --type spdxjson registry.example.com/steward@sha256:…":        "TestSign of e2e/registry",
	"kubectl apply -f bin/image/install.yaml":                                                                                        "e2e/node",
	"kubectl wait --for=create apiservice/v1alpha1.views.operators.coreos.com --timeout=2m":                                          "e2e/node",
	"kubectl wait apiservice v1alpha1.views.operators.coreos.com --for=condition=Available --timeout=60s":                            "e2e/node",
	"kubectl wait deployment --all -n steward-system --for=condition=Available --timeout=2m":                                         "e2e/node",
	"kubectl get installedoperators -A":                                                                                              "e2e/node",

	"ln -s /usr/local/bin/steward /usr/local/bin/kubectl-steward":          "newWalk, which links it in a folder of its own",
	"ln -s /usr/local/bin/steward /usr/local/bin/kubectl_complete-steward": "e2e/plugin, which links it, too",

	"steward inspect must-gather.local.123/ -- kubectl get installedoperators -A": "e2e/inspect, with dumps of its own",
	"steward inspect must-gather.tar.gz -- kubectl steward why payments":          "e2e/inspect, with dumps of its own",

	"kubectl get ppv -n payments-operators -w":                         "TestWatch_R_PRJ_06_PlanPreviews of e2e/previews, in a namespace of its own",
	"kubectl get ppv -n payments-operators install-ecd336220c -o yaml": "TestPreviews_AreReadAndAsked, in a namespace of the examples",
	"kubectl create -o yaml -f - <<EOF":                                "TestPreviews_AreReadAndAsked, of an operator of the examples",

	"kubectl steward copied-csvs verify -A": migration,
	"kubectl patch olmconfig cluster --type=merge -p '{\"spec\":{\"features\":{\"disableCopiedCSVs\":true}}}'":  migration,
	"kubectl wait olmconfig/cluster --for=condition=DisabledCopiedCSVs --timeout=10m":                           migration,
	"kubectl patch olmconfig cluster --type=merge -p '{\"spec\":{\"features\":{\"disableCopiedCSVs\":false}}}'": migration,

	"kubectl apply -f deploy/base/namespace.yaml":                                                                                        "e2e/chart",
	"helm install steward bin/image/steward-chart-*.tgz --namespace steward-system --values my-values.yaml":                              "e2e/chart",
	"helm upgrade steward bin/image/steward-chart-*.tgz --namespace steward-system --values my-values.yaml --set controllers.replicas=3": "e2e/chart",
	"helm rollback steward --namespace steward-system":                                                                                   "e2e/chart",
	"helm uninstall steward --namespace steward-system":                                                                                  "e2e/chart",
	"kubectl wait --for=delete apiservice/v1alpha1.views.operators.coreos.com --timeout=2m":                                              "e2e/chart",
	"kubectl delete namespace steward-system":                                                                                            "e2e/chart",
	"kubectl apply --server-side -f deploy/olm/policies.yaml":                                                                            itself,
	"kubectl wait --for=create csv/steward.v0.1.0 -n steward-system --timeout=2m":                                                        itself,
	"kubectl wait csv/steward.v0.1.0 -n steward-system --for=jsonpath='{.status.phase}'=Succeeded --timeout=10m":                         itself,
	"kubectl steward remove --dry-run":                                                                                                   itself,
	"kubectl delete operators.operators.coreos.com steward.steward-system --ignore-not-found":                                            itself,
	"kubectl delete subscription,csv -n steward-system -l '!olm.copiedFrom'":                                                             itself,
	"go -C e2e run ./cmd/olmbundle --image=registry.example.com/steward:TAG --output=\"$PWD/bin/olm\"":                                   "tools/verify, with a folder of its own and no other image",

	"kubectl steward remove": "e2e/node with --yes; in a terminal, answered with no, e2e/golden",

	"mkdir -p ~/.local/lib/steward ~/.local/bin":                  "tools/dev/archive_test.sh, folders of its own",
	"tar -xzf steward-linux-amd64.tar.gz -C ~/.local/lib/steward": "tools/dev/archive_test.sh, to a folder of its own",
	"ln -sf ~/.local/lib/steward/kubectl*steward ~/.local/bin/":   "tools/dev/archive_test.sh, in a folder of its own",
}

var isCommand = regexp.MustCompile(`^(COSIGN_PASSWORD=… |)(\./dev|cosign|kubectl|steward|ln|export|docker|make|go|bazel|curl|git|mkdir|tar|helm) `)

// withoutPrompt are the commands of the fenced blocks that show no prompt.
func withoutPrompt(t *testing.T, name string) (commands []string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	for i, block := range strings.Split("\n"+string(text), "\n```") {
		if i%2 == 0 || strings.Contains(block, "\n$ ") || strings.Contains(block, "\n# in ") {
			continue
		}
		for _, line := range strings.Split(block, "\n") {
			command, _, _ := strings.Cut(line, "   #")
			if command = strings.TrimSpace(command); isCommand.MatchString(command) {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// No command of a document is run by nobody without anyone's knowing why.
func TestEveryCommandIsRun(t *testing.T) {
	var all []string
	for _, name := range []string{"README.md", "docs/kubectl-steward.md", "docs/inspect.md", "docs/image.md", "docs/previews.md", "docs/migration.md",
		"docs/install.md", "docs/reports.md"} {
		all = append(all, withoutPrompt(t, name)...)
	}
	left := map[string]bool{}
	for command := range unprompted {
		left[command] = true
	}
	for _, command := range all {
		if unprompted[command] == "" {
			t.Errorf("nothing runs %q", command)
		}
		delete(left, command)
	}
	for command := range left {
		t.Errorf("no document has %q any more", command)
	}
}
