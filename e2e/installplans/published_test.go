package installplans_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

// bundleCase is the folder of a case's bundle, copied, since cases delete some of its files.
func bundleCase(t *testing.T, name string) string {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	path, exists := olm.Published(root, filepath.Join("cases", name))
	if !exists {
		t.Skipf("%s is not there", path)
	}
	folder := filepath.Join(t.TempDir(), "bundle")
	must(t, os.CopyFS(folder, os.DirFS(filepath.Join(path, "bundle"))))
	return folder
}

// user is somebody at a terminal, in front of `steward up`.
type user struct {
	up *embedded.Up
}

// newUser starts `steward up`, with a namespace "ops" for operators that watch the targets, or all namespaces.
func newUser(t *testing.T, targets ...string) *user {
	t.Helper()
	up, err := embedded.Start(filepath.Join(t.TempDir(), "up"))
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(check.Patience)) })
	for _, namespace := range slices.Compact(append([]string{"ops"}, targets...)) {
		must(t, olm.Create(t.Context(), up.Any, olm.Namespace(namespace)))
	}
	must(t, olm.Create(t.Context(), up.Any, olm.OperatorGroup("ops", "group", targets...)))
	// Until its group means something an operator has no namespaces, and a user would wait as well.
	eventually(t, func() error {
		group, err := up.Any.Resource(olm.OperatorGroups).Namespace("ops").Get(t.Context(), "group", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if _, written, _ := unstructured.NestedStringSlice(group.Object, "status", "namespaces"); !written {
			err = errors.New("the OperatorGroup has no status")
		}
		return err
	})
	return &user{up}
}

// runs is a command of steward's: all that it prints, and its exit code.
func (u *user) runs(t *testing.T, args ...string) (string, int) {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Env = []string{"KUBECONFIG=" + u.up.Kubeconfig, "HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	err = command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	t.Logf("steward %s: %d\n%s", strings.Join(args, " "), command.ProcessState.ExitCode(), said.String())
	return said.String(), command.ProcessState.ExitCode()
}

// says expects the code, and each part in what is printed.
func (u *user) says(t *testing.T, code int, parts []string, args ...string) {
	t.Helper()
	printed, got := u.runs(t, args...)
	if got != code {
		t.Errorf("steward %s ended with %d, not %d", strings.Join(args, " "), got, code)
	}
	for _, part := range parts {
		contains(t, "steward "+strings.Join(args, " "), printed, part)
	}
}

var plansNamed = regexp.MustCompile(`install-[0-9a-f]{10}`)

// installs makes the plan of a bundle, and waits until it is Complete.
func (u *user) installs(t *testing.T, folder string) string {
	t.Helper()
	printed, code := u.runs(t, "bundle", "install", folder, "-n", "ops", "--approve")
	name := plansNamed.FindString(printed)
	if code != 0 || name == "" {
		t.Fatalf("the installation ended with %d", code)
	}
	eventually(t, func() error {
		plan, err := u.up.Any.Resource(installPlans).Namespace("ops").Get(t.Context(), name, metav1.GetOptions{})
		if err == nil && phaseOf(plan) != "Complete" {
			err = errors.New(name + " is " + phaseOf(plan) + ": " + messageOf(plan))
		}
		return err
	})
	return name
}

func TestCase71_TheVersionOfTheClusterServiceVersion(t *testing.T) {
	t.Parallel()
	folder := bundleCase(t, "71-bundle-csv-version")
	u := newUser(t, "ops")
	u.says(t, 1, []string{"the ClusterServiceVersion is installed as one of operators.coreos.com/v1alpha1", "can be installed all the same"},
		"bundle", "lint", folder, "--strict")
	u.installs(t, folder)
	_, err := u.up.Any.Resource(olm.CSVs).Namespace("ops").Get(t.Context(), "small.v1.0.0", metav1.GetOptions{})
	must(t, err)
}

func TestCase71_RequirementsMissing(t *testing.T) {
	t.Parallel()
	folder := bundleCase(t, "71-requirements-missing")
	u := newUser(t)
	unmet := []string{
		"needs Kubernetes 9.9.0 or newer", "needs Rope in rope.example.net/v1", "needs the package rope in a version >=1.0.0",
		"AllNamespaces InstallModeType not supported",
	}
	u.says(t, 5, unmet, "kubectl", "preview", "bundle", folder, "-n", "ops")
	u.says(t, 3, append(unmet, "--ignore-requirements"), "bundle", "install", folder, "-n", "ops", "--approve")
	plans, err := u.up.Any.Resource(installPlans).Namespace("ops").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	if len(plans.Items) != 0 {
		t.Errorf("there are %d plans", len(plans.Items))
	}
	u.says(t, 0, unmet, "bundle", "install", folder, "-n", "ops", "--approve", "--ignore-requirements")
}

// An operator that was uninstalled is installed again, and one that is whole is left alone.
func TestCase72_InstallAfterUninstall(t *testing.T) {
	t.Parallel()
	folder := bundleCase(t, "72-install-after-uninstall")
	u := newUser(t, "ops")
	first := u.installs(t, folder)
	u.says(t, 0, []string{first, "nothing of small.v1.0.0 is missing or different"}, "bundle", "install", folder, "-n", "ops", "--approve")
	u.says(t, 0, nil, "kubectl", "uninstall", "small.v1.0.0", "-n", "ops", "--yes")
	u.says(t, 0, []string{"Create"}, "kubectl", "preview", "bundle", folder, "-n", "ops")
	if second := u.installs(t, folder); second == first {
		t.Errorf("%s is the plan of before", second)
	}
	_, err := u.up.Any.Resource(olm.CSVs).Namespace("ops").Get(t.Context(), "small.v1.0.0", metav1.GetOptions{})
	must(t, err)
}

// replace changes a text in a file of a bundle.
func replace(t *testing.T, folder, file, old, text string) {
	t.Helper()
	path := filepath.Join(folder, file)
	before, err := os.ReadFile(path)
	must(t, err)
	after := strings.ReplaceAll(string(before), old, text)
	if after == string(before) {
		t.Fatalf("%s has no %q", path, old)
	}
	must(t, os.WriteFile(path, []byte(after), 0o644))
}

// An installation of an older version brings its definitions back, by a plan of its own.
func TestCase72_BackToAnOlderVersion(t *testing.T) {
	t.Parallel()
	older, newer := bundleCase(t, "72-install-after-uninstall"), bundleCase(t, "72-install-after-uninstall")
	replace(t, newer, "manifests/csv.yaml", "1.0.0", "1.1.0")
	replace(t, newer, "manifests/crd.yaml", "type: object", "type: object, description: newer")
	u := newUser(t, "ops")
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	isNewer := func() bool {
		definition, err := u.up.Any.Resource(definitions).Get(t.Context(), "smalls.example.com", metav1.GetOptions{})
		must(t, err)
		text, err := definition.MarshalJSON()
		must(t, err)
		return strings.Contains(string(text), "newer")
	}
	first := u.installs(t, older)
	u.installs(t, newer)
	if !isNewer() {
		t.Error("the upgrade left the definition as it was")
	}
	if again := u.installs(t, older); again == first {
		t.Errorf("%s is the plan of before", again)
	}
	if isNewer() {
		t.Error("the definition is still the newer one")
	}
}

func TestCase73_KeptIsNotSaidGone(t *testing.T) {
	t.Parallel()
	folder := bundleCase(t, "73-kept-said-gone")
	u := newUser(t, "tenant-a")
	u.installs(t, folder)
	csvs := u.up.Any.Resource(olm.CSVs).Namespace("ops")
	csv, err := csvs.Get(t.Context(), "small.v1.0.0", metav1.GetOptions{})
	must(t, err)
	must(t, unstructured.SetNestedField(csv.Object, true, "spec", "cleanup", "enabled"))
	csv, err = csvs.Update(t.Context(), csv, metav1.UpdateOptions{})
	must(t, err)
	must(t, unstructured.SetNestedField(csv.Object, "Succeeded", "status", "phase"))
	_, err = csvs.UpdateStatus(t.Context(), csv, metav1.UpdateOptions{})
	must(t, err)
	smalls := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "smalls"}
	eventually(t, func() error {
		return olm.CreateAs(t.Context(), u.up.Any, smalls, object("example.com/v1", "Small", "ops", "one", nil))
	})
	u.says(t, 0, []string{"is gone, and so are the 0 custom resources that were to be deleted; 1 was kept"},
		"kubectl", "uninstall", "small.v1.0.0", "-n", "ops", "--cleanup", "--yes", "--no-save")
}

func TestCase74_AsOLMTakes(t *testing.T) {
	t.Parallel()
	folder := bundleCase(t, "74-bundle-as-olm-takes")
	u := newUser(t, "ops")
	u.says(t, 1, []string{
		"dependencies.yaml:3: error: the file is left out, as by OLM",
		"role.yaml:1: hint: apiVersion: is missing; the ClusterRole is installed as one of rbac.authorization.k8s.io/v1",
		"metrics.yaml:1: hint: apiVersion: rbac.authorization.k8s.io/v1beta1; the ClusterRole is installed as one of rbac.authorization.k8s.io/v1",
		"can be installed all the same",
	}, "bundle", "lint", folder)
	u.installs(t, folder)
	for _, name := range []string{"small-reader", "small-metrics"} {
		_, err := u.up.Any.Resource(rbacv1.SchemeGroupVersion.WithResource("clusterroles")).Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
	}
}

func TestCase75_NothingIsLeftOutWithoutAWord(t *testing.T) {
	t.Parallel()
	folder := bundleCase(t, "75-bundle-rules-no-list")
	u := newUser(t, "ops")
	const why = "spec.install.spec.clusterPermissions[0].rules: must be a list"
	u.says(t, 1, []string{
		why, `spec.version: "one" is no version`, "spec.installModes: none is supported", "the bundle brings no definition larges.example.com",
	}, "bundle", "lint", folder)
	for _, args := range [][]string{
		{"bundle", "steps", folder}, {"bundle", "install", folder, "-n", "ops", "--approve"}, {"kubectl", "preview", "bundle", folder, "-n", "ops"},
	} {
		u.says(t, 1, []string{"the bundle cannot be installed: ", why}, args...)
	}
}
