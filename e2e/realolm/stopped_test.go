package realolm_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/faultproxy"
	"steward.dev/e2e/olm"
)

// halfway stops OLM at the moment when it has made a copy in one namespace and is about to write the copy's status.
type halfway struct {
	world     *world
	namespace string
	reached   chan struct{}
	goOn      chan struct{}
	once      sync.Once
}

func (h *halfway) rule() faultproxy.Rule {
	return faultproxy.Rule{
		When: func(request *faultproxy.Request) bool {
			return request.Method == http.MethodPut &&
				request.Path == "/apis/operators.coreos.com/v1alpha1/namespaces/"+h.namespace+"/clusterserviceversions/operator.v1/status"
		},
		Do: faultproxy.After(func() {
			h.once.Do(func() {
				_ = h.world.olm.Pause()
				close(h.reached)
			})
			<-h.goOn
		}),
	}
}

// OLM makes a copy first and writes its status in a second request; where it is stopped between the two, the copy says nowhere
// that it is one but in its label. The original is cleaned up all the same, and no earlier than it has finished
// (R-000-85: copies in the making).
func TestUninstall_R_000_85_WhileACopyHasNoStatusYet(t *testing.T) {
	w := newWorld(t, 3)
	w.runControllers(t)
	pair, err := w.ServingPair("olm-proxy")
	must(t, err)
	var journal faultproxy.Journal
	proxy, err := faultproxy.Start(faultproxy.Options{
		Name: "olm", Upstream: w.URL(), CAFile: w.ServingCAFile(), Cert: pair.Cert, Key: pair.Key, Journal: &journal,
	})
	must(t, err)
	late := &halfway{world: w, namespace: "late", reached: make(chan struct{}), goOn: make(chan struct{})}
	goOn := sync.OnceFunc(func() { close(late.goOn) })
	t.Cleanup(func() {
		goOn()
		if err := proxy.Stop(); err != nil {
			t.Error(err)
		}
	})
	proxy.Add(late.rule())
	w.runOLM(t, proxy)

	seen := w.witness(t)
	b := &bundle{namespace: "operators", name: "operator.v1", group: "late.example.com", lifted: true}
	w.addNamespaces(t, b.namespace)
	must(t, olm.Create(t.Context(), w.Any, olm.OperatorGroup(b.namespace, "all")))
	w.install(t, b.csv())
	operands := w.follow(t, b.widgets(), "")
	w.operands(t, b, w.spaces[0], "widget", 9)
	worker := w.operate(t, b)
	w.succeeds(t, b.namespace, b.name, still)
	w.optIn(t, b.namespace, b.name)
	w.isHeld(t, b)

	w.addNamespaces(t, late.namespace)
	eventually(t, func() error {
		select {
		case <-late.reached:
			return nil
		default:
			return fmt.Errorf("OLM has not come to the new namespace")
		}
	})
	copied, err := w.Any.Resource(olm.CSVs).Namespace(late.namespace).Get(t.Context(), b.name, metav1.GetOptions{})
	must(t, err)
	if copied.Object["status"] != nil {
		t.Fatalf("the copy has a status already: %s", told(copied))
	}

	w.uninstall(t, b.namespace, b.name)
	// Everything that Steward and the operator have to do is done while OLM stands still.
	eventually(t, func() error {
		csv, err := w.see(t.Context(), b.namespace, b.name)
		if err != nil {
			return err
		}
		for _, finalizer := range csv.GetFinalizers() {
			if finalizer == optInFinalizer {
				return fmt.Errorf("%s", told(csv))
			}
		}
		return nil
	})
	must(t, w.olm.Resume())
	goOn()
	gone := w.isGone(t.Context(), b.namespace, b.name, seen.progress(operands))
	found := seen.gather(t, b, operands)
	wrong := found.judge()
	if gone != nil {
		wrong = append(wrong, fmt.Sprintf("it hangs: %v", gone))
	}
	for _, each := range wrong {
		t.Error(each)
	}
	if t.Failed() {
		t.Errorf("the operator was last denied: %v", worker.lastDenied())
		for _, each := range w.events(t.Context(), b.namespace, b.name) {
			t.Errorf("told: %s", each)
		}
		t.Logf("by revision:\n%s", found.story())
	}
}
