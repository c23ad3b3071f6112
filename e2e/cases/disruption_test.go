package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Steward outlives what happens around it. One cluster of its own, taken through its misfortunes in order.
func TestDisruption(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 30)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := c.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, c.WaitServed(t.Context()))
	d := &disruption{cluster: c, steward: s}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"WithoutOLM", d.withoutOLM},
		{"OLMIsInstalledLater", d.olmIsInstalledLater},
		{"KubeAPIServerIsKilledAndReturns", d.kubeAPIServerIsKilled},
		{"StewardRestarts", d.stewardRestarts},
		{"StewardStartsWithoutKubeAPIServer", d.startsWithoutKubeAPIServer},
	} {
		if !t.Run(step.name, step.run) {
			return // the next steps stand on this one
		}
	}
}

type disruption struct {
	cluster *cluster.Cluster
	steward *cluster.Steward
}

// withoutOLM: neither API exists in the cluster. That is an empty list, not an error.
func (d *disruption) withoutOLM(t *testing.T) {
	out, err := d.cluster.Kubectl(t.Context(), "get", "installedoperators", "-A")
	if err != nil || out != "" {
		t.Errorf("%q, %v", out, err)
	}
	list, err := d.list(t.Context())
	if err != nil || len(list) != 0 {
		t.Errorf("%d objects, %v", len(list), err)
	}
}

func (d *disruption) olmIsInstalledLater(t *testing.T) {
	must(t, loadCRDs(t.Context(), d.cluster))
	must(t, loadExamples(t.Context(), d.cluster))
	took := eventually(t, func() error {
		list, err := d.list(t.Context())
		if err == nil && list["payments/ledger-queue.v1.0.3"] == nil {
			err = fmt.Errorf("%d objects", len(list))
		}
		return err
	})
	t.Logf("installed operators appeared %s after OLM's APIs", took.Round(time.Millisecond))
	d.changesAreSeen(t)
}

// kubeAPIServerIsKilled: during the outage the same objects are served to whom needs no review, and after it changes
// are seen again.
func (d *disruption) kubeAPIServerIsKilled(t *testing.T) {
	before, err := d.direct(t, d.steward)
	must(t, err)
	d.cluster.KillAPIServer()
	for range 20 {
		during, err := d.direct(t, d.steward)
		must(t, err)
		if !reflect.DeepEqual(during, before) {
			t.Fatal("the objects changed while the kube-apiserver was away")
		}
		time.Sleep(50 * time.Millisecond)
	}
	if got := call(t, d.steward.Anonymous(), "GET", "/livez"); got.Code != http.StatusOK {
		t.Errorf("livez during the outage: %d %s", got.Code, got.Body)
	}
	// Who needs a review gets none: refused for now, never let in.
	stranger, err := d.steward.WithUser("stranger")
	must(t, err)
	if got := call(t, stranger, "GET", listPath); got.Code == http.StatusOK {
		t.Error("a user whose rights cannot be asked for was let in")
	}
	must(t, d.cluster.StartAPIServer(t.Context()))
	must(t, d.cluster.WaitAvailable(t.Context()))
	after, err := d.direct(t, d.steward)
	must(t, err)
	if !reflect.DeepEqual(after, before) {
		t.Error("the objects changed over the restart")
	}
	eventually(t, func() error { _, err := d.list(t.Context()); return err })
	d.reconnected(t)
	d.changesAreSeen(t)
}

// stewardRestarts: it ends in order, and a new process gives the same answers under the same identities.
func (d *disruption) stewardRestarts(t *testing.T) {
	before, err := d.direct(t, d.steward)
	must(t, err)
	must(t, d.steward.Stop())
	if code := d.steward.ExitCode(); code != 0 {
		t.Errorf("exit code %d after SIGTERM", code)
	}
	d.restIsDiscovered(t)
	must(t, d.steward.Start())
	must(t, d.steward.WaitReady(t.Context()))
	after, err := d.direct(t, d.steward)
	must(t, err)
	if !reflect.DeepEqual(after, before) {
		t.Error("another process gives other answers")
	}
	// The aggregator finds it again by itself, with a backoff of its own.
	eventually(t, func() error { _, err := d.list(t.Context()); return err })
}

// restIsDiscovered (R-004-44): while Steward is away, nothing but its own group is missing from discovery.
func (d *disruption) restIsDiscovered(t *testing.T) {
	t.Helper()
	_, lists, err := d.cluster.Kube.Discovery().ServerGroupsAndResources()
	var failed *discovery.ErrGroupDiscoveryFailed
	if errors.As(err, &failed) {
		for version, why := range failed.Groups {
			if version.Group != olm.InstalledOperators.Group {
				t.Errorf("%s is not discovered without Steward: %v", version, why)
			}
		}
	} else if err != nil {
		t.Errorf("discovery without Steward: %v", err)
	}
	var found []string
	for _, list := range lists {
		found = append(found, list.GroupVersion)
	}
	for _, want := range []string{"v1", "apps/v1", "apiextensions.k8s.io/v1", olm.CSVs.GroupVersion().String()} {
		if !slices.Contains(found, want) {
			t.Errorf("%s is not among what is discovered without Steward: %q", want, found)
		}
	}
	if _, err := d.cluster.Kubectl(t.Context(), "get", "clusterserviceversions,configmaps", "-A"); err != nil {
		t.Errorf("without Steward: %v", err)
	}
}

// startsWithoutKubeAPIServer: discovery and liveness at once; reads are refused with Retry-After, never answered with
// an empty list; and it comes to itself when the kube-apiserver does.
func (d *disruption) startsWithoutKubeAPIServer(t *testing.T) {
	must(t, d.steward.Stop())
	must(t, d.cluster.StopAPIServer())
	must(t, d.steward.Start("--client-ca-file="+d.cluster.ClientCAFile()))
	config := masters(t, d.steward)
	took := eventually(t, func() error {
		got, err := tryCall(t.Context(), config, "GET", apiPath, nil)
		if err == nil && got.Code != http.StatusOK {
			err = fmt.Errorf("discovery: %d: %s", got.Code, got.Body)
		}
		return err
	})
	t.Logf("discovery was served %s after the start", took.Round(time.Millisecond))
	for _, path := range []string{"/livez", "/openapi/v3", "/openapi/v2", "/apis"} {
		if got := call(t, config, "GET", path); got.Code != http.StatusOK {
			t.Errorf("%s: %d %.300s", path, got.Code, got.Body)
		}
	}
	if got := call(t, config, "GET", "/readyz"); got.Code == http.StatusOK {
		t.Error("ready, although nothing has been read")
	}
	for _, path := range []string{listPath, inNamespace("payments"), inNamespace("payments") + "/ledger-queue.v1.0.3"} {
		status := rawStatus(t, config, path)
		if status.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %+v", path, status)
		}
	}
	must(t, d.cluster.StartAPIServer(t.Context()))
	must(t, d.steward.WaitReady(t.Context()))
	list, err := d.direct(t, d.steward)
	if err != nil || list["payments/ledger-queue.v1.0.3"] == nil {
		t.Errorf("%d objects, %v", len(list), err)
	}
}

// rawStatus reads past client-go, which would wait and try again as Retry-After bids it.
func rawStatus(t *testing.T, config *rest.Config, path string) metav1.Status {
	t.Helper()
	got := call(t, config, "GET", path)
	if got.Header.Get("Retry-After") == "" {
		t.Errorf("%s: no Retry-After", path)
	}
	return got.status(t)
}

// changesAreSeen changes a namespace and waits until the operators in it follow.
func (d *disruption) changesAreSeen(t *testing.T) {
	t.Helper()
	set := func(value any) {
		patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{"monitored": value}}})
		_, err := d.cluster.Any.Resource(olm.Namespaces).Patch(t.Context(), "docs", "application/merge-patch+json", patch, metav1.PatchOptions{})
		must(t, err)
	}
	is := func(there bool) func() error {
		return func() error {
			list, err := d.list(t.Context())
			if err == nil && (list["docs/beacon-metrics.v2.1.0"] != nil) != there {
				err = fmt.Errorf("beacon-metrics is in docs: %t", !there)
			}
			return err
		}
	}
	set("true")
	soon(t, "a namespace with the label", is(true))
	set(nil)
	soon(t, "a namespace without it", is(false))
}

// reconnected waits until the watches run again: how soon after an outage depends on backoff.
func (d *disruption) reconnected(t *testing.T) {
	t.Helper()
	must(t, olm.Create(t.Context(), d.cluster.Any, olm.Namespace("after-the-outage")))
	took := eventually(t, func() error {
		list, err := d.list(t.Context())
		if err == nil && list["after-the-outage/certloop.v1.8.2"] == nil {
			err = fmt.Errorf("the new namespace is not seen")
		}
		return err
	})
	t.Logf("the first change after the outage was seen after %s", took.Round(time.Millisecond))
}

// list reads all objects through the aggregator, by namespace and name, without the list's number.
func (d *disruption) list(ctx context.Context) (map[string]map[string]any, error) {
	list, err := d.cluster.Any.Resource(olm.InstalledOperators).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]any{}
	for _, item := range list.Items {
		dropListNumber(item.Object)
		out[item.GetNamespace()+"/"+item.GetName()] = item.Object
	}
	return out, nil
}

// direct is list without the aggregator, for the time when there is none.
func (d *disruption) direct(t *testing.T, s *cluster.Steward) (map[string]map[string]any, error) {
	t.Helper()
	got := call(t, masters(t, s), "GET", listPath)
	if got.Code != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d: %.300s", got.Code, got.Body)
	}
	items, _ := got.decoded(t)["items"].([]any)
	out := map[string]map[string]any{}
	for _, each := range items {
		object := &olm.Object{Object: each.(map[string]any)}
		dropListNumber(object.Object)
		out[strings.Join([]string{object.GetNamespace(), object.GetName()}, "/")] = object.Object
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("an empty list")
	}
	return out, nil
}
