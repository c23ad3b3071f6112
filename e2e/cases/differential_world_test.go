package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// subject is one resource that is asked the same as the others: each has objects of the same names and labels.
type subject struct {
	name     string
	kind     string
	resource schema.GroupVersionResource
	client   *http.Client
	host     string
	// stand-ins are what differs between subjects by nature: "$now" and the like in a probe, with its value here.
	standIns map[string]string
}

func newSubject(t *testing.T, name, kind string, resource schema.GroupVersionResource, config *rest.Config) *subject {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	return &subject{name: name, kind: kind, resource: resource, client: client, host: config.Host, standIns: map[string]string{}}
}

func (s *subject) root() string {
	if s.resource.Group == "" {
		return "/api/" + s.resource.Version
	}
	return "/apis/" + s.resource.Group + "/" + s.resource.Version
}

// list is a page's number and continue token.
func (s *subject) list(t *testing.T, namespace, query string) (number, token string) {
	t.Helper()
	path := s.root()
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	var page struct {
		Metadata struct{ ResourceVersion, Continue string }
	}
	eventually(t, func() error { // a kube-apiserver that has just started may refuse for a moment
		response, err := s.client.Get(s.host + path + "/" + s.resource.Resource + query)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
			return err
		}
		if page.Metadata.ResourceVersion == "" {
			return fmt.Errorf("%s: no list: %s", s.name, response.Status)
		}
		return nil
	})
	return page.Metadata.ResourceVersion, page.Metadata.Continue
}

// diffWorld is a cluster of its own: lists of all namespaces, and what a restarted kube-apiserver has forgotten, can
// only be compared where nobody else is. Its InstalledOperators are one for one its ClusterServiceVersions, and its
// ConfigMaps have the same names and labels.
type diffWorld struct {
	cluster         *cluster.Cluster
	steward         *cluster.Steward
	direct, hub     *subject // InstalledOperators
	custom, builtIn *subject
	readOnly        *subject // a resource that the kube-apiserver does not let anybody write
	group           map[string]*olm.Object
	subjects        []*subject
	seed            uint64 // of the random requests
	count           int    // of these
}

const diffHome, diffOther = "diff-a", "diff-b"

// diffObjects are names and labels by namespace.
var diffObjects = map[string]map[string]map[string]string{
	diffHome: {
		"alpha": {"tier": "gold"},
		"beta":  {"tier": "silver", "weight": "3"},
		"delta": {},
		"gamma": {"tier": "gold", "weight": "7"},
		"omega": {"weight": "12"},
	},
	diffOther: {
		"alpha": {"tier": "bronze"},
		"zeta":  {"tier": "gold"},
	},
}

func newDiffWorld(t *testing.T) *diffWorld {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 10)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, loadCRDs(t.Context(), c))
	w := &diffWorld{cluster: c, group: map[string]*olm.Object{}}
	for namespace, objects := range diffObjects {
		w.group[namespace] = olm.OperatorGroup(namespace, "own", namespace)
		must(t, olm.Create(t.Context(), c.Any, olm.Namespace(namespace), w.group[namespace]))
		for name, labels := range objects {
			w.create(t, namespace, name, labels)
		}
	}
	w.steward, err = c.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, c.WaitServed(t.Context()))
	w.direct = newSubject(t, "direct", "InstalledOperator", olm.InstalledOperators, masters(t, w.steward))
	w.hub = newSubject(t, "aggregator", "InstalledOperator", olm.InstalledOperators, c.Config)
	w.custom = newSubject(t, "custom resource", "ClusterServiceVersion", olm.CSVs, c.Config)
	w.builtIn = newSubject(t, "built-in", "ConfigMap", configMaps, c.Config)
	w.readOnly = newSubject(t, "read-only", "ComponentStatus", schema.GroupVersionResource{Version: "v1", Resource: "componentstatuses"}, c.Config)
	w.subjects = []*subject{w.direct, w.hub, w.custom, w.builtIn}
	w.age(t)
	return w
}

// age makes numbers and tokens that nobody remembers, some that everybody does, and some that nobody has reached.
func (w *diffWorld) age(t *testing.T) {
	t.Helper()
	for _, s := range w.subjects {
		s.standIns["$ancient"], s.standIns["$expired"] = s.list(t, diffHome, "?limit=2")
	}
	w.label(t, diffHome, "delta", map[string]string{"seen": "early"})
	must(t, w.steward.Stop())
	must(t, w.cluster.CompactEtcd(t.Context()))
	must(t, w.cluster.StopAPIServer())
	must(t, w.cluster.StartAPIServer(t.Context()))
	must(t, w.steward.Start())
	must(t, w.steward.WaitReady(t.Context()))
	must(t, w.cluster.WaitAvailable(t.Context()))
	must(t, w.cluster.WaitServed(t.Context()))
	for _, s := range w.subjects {
		s.standIns["$old"], _ = s.list(t, diffHome, "")
	}
	w.label(t, diffHome, "delta", map[string]string{"seen": "late"})
	w.inStep(t)
	for _, s := range w.subjects {
		s.standIns["$now"], s.standIns["$token"] = s.list(t, diffHome, "?limit=2")
		number, _ := new(big.Int).SetString(s.standIns["$now"], 10)
		step := big.NewInt(1_000_000)
		if s.resource == olm.InstalledOperators {
			step.Mul(step, new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)) // the clock, and with it the rest
		}
		s.standIns["$future"] = number.Add(number, step).String()
	}
	// Of another kind, which is no subject's own.
	_, foreign := newSubject(t, "", "", olm.Namespaces, w.cluster.Config).list(t, "", "?limit=1")
	for _, s := range w.subjects {
		s.standIns["$foreign"] = foreign
	}
}

// inStep waits until Steward has seen everything that was written.
func (w *diffWorld) inStep(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		for _, namespace := range []string{diffHome, diffOther} {
			real, err := w.cluster.Any.Resource(olm.CSVs).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			virtual, err := w.cluster.Any.Resource(olm.InstalledOperators).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			a, b := labelsOf(real.Items), labelsOf(virtual.Items)
			if a != b {
				return fmt.Errorf("%s and %s", a, b)
			}
		}
		return nil
	})
}

func labelsOf(items []olm.Object) string {
	all := map[string]map[string]string{}
	for _, item := range items {
		all[item.GetName()] = item.GetLabels()
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// create, label and remove do the same to each real subject; the virtual ones follow.
func (w *diffWorld) create(t *testing.T, namespace, name string, labels map[string]string) {
	t.Helper()
	csv := olm.CSV(name, w.group[namespace], namespace)
	all := map[string]string{}
	for key, value := range csv.GetLabels() {
		all[key] = value
	}
	for key, value := range labels {
		all[key] = value
	}
	csv.SetLabels(all)
	delete(csv.Object, "status") // written in a second step, which config maps do not have
	must(t, olm.Create(t.Context(), w.cluster.Any, csv))
	object := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	object.SetName(name)
	object.SetLabels(all)
	_, err := w.cluster.Any.Resource(configMaps).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
	must(t, err)
}

func (w *diffWorld) label(t *testing.T, namespace, name string, labels map[string]string) {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	must(t, err)
	for _, resource := range []schema.GroupVersionResource{olm.CSVs, configMaps} {
		_, err := w.cluster.Any.Resource(resource).Namespace(namespace).
			Patch(t.Context(), name, "application/merge-patch+json", patch, metav1.PatchOptions{})
		must(t, err)
	}
}

func (w *diffWorld) remove(t *testing.T, namespace, name string) {
	t.Helper()
	for _, resource := range []schema.GroupVersionResource{olm.CSVs, configMaps} {
		must(t, w.cluster.Any.Resource(resource).Namespace(namespace).Delete(context.Background(), name, metav1.DeleteOptions{}))
	}
}

// resolve puts a subject's own values for the stand-ins.
func (s *subject) resolve(text string) string {
	if !strings.HasPrefix(text, "$") {
		return text
	}
	if value, ok := s.standIns[text]; ok {
		return value
	}
	panic("no such stand-in: " + text)
}
