package cleanup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/faultproxy"
	"steward.dev/e2e/olm"
)

// run is an operator with processes of its own, each behind a proxy that shows it this operator alone: so many runs go on
// at a time, with custom resources of the same definition.
type run struct {
	*scene
	id      string
	journal faultproxy.Journal
	oracle  *oracle
	flags   []string
	rules   []faultproxy.Rule // of every process, in their order
	author  any               // spec.cleanup
	api     string            // the group of an API that it serves by itself
	// supported: so is cleanup where nothing is said of it.
	supported bool

	mutex   sync.Mutex
	phase   phase
	calls   []call // in their order
	callOf  map[*faultproxy.Request]call
	counts  map[call]int
	members []*member
	starts  int

	starting sync.WaitGroup // processes that take the place of killed ones
}

// member is a process and its proxy.
type member struct {
	name    string
	proxy   *faultproxy.Proxy
	process *cluster.Controllers
}

// phase is how far a cleanup is, as its requests show.
type phase string

const (
	installed   phase = "installed"
	uninstalled phase = "uninstalled"
	recorded    phase = "recorded"
	deleting    phase = "deleting"
	letGo       phase = "let go" // of the operator's rights
)

// call is a request that occurs in every run: the nth of its name in a phase.
type call struct {
	phase phase
	key   string
	nth   int
}

func (c call) String() string { return fmt.Sprintf("%s: %s #%d", c.phase, c.key, c.nth) }

// soloFlags are for a run with one process at a time.
var soloFlags = []string{"--leader-elect=false"}

// newRun makes namespaces, and begins no process. `kinds` says whose definitions it uses.
func newRun(t *testing.T, kinds *scene, spaces int) *run {
	t.Helper()
	id := rand.String(6)
	r := &run{scene: &scene{group: kinds.group, namespace: "ops-" + id}, id: id, flags: soloFlags, phase: installed, author: map[string]any{"enabled": true},
		callOf: map[*faultproxy.Request]call{}, counts: map[call]int{}}
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(r.namespace)))
	for i := range spaces {
		r.spaces = append(r.spaces, fmt.Sprintf("space-%s-%d", id, i))
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(r.spaces[i], "e2e", id)))
	}
	r.oracle = &oracle{run: r}
	t.Cleanup(func() {
		r.starting.Wait()
		r.mutex.Lock()
		members := slices.Clone(r.members)
		r.mutex.Unlock()
		for _, m := range members {
			m.process.Kill()
			_ = m.proxy.Stop()
		}
		if t.Failed() || os.Getenv("STEWARD_E2E_STORY") != "" {
			t.Logf("%s", r.story())
		}
	})
	return r
}

// begin starts a process.
func (r *run) begin(ctx context.Context) (*member, error) {
	r.mutex.Lock()
	r.starts++
	m := &member{name: fmt.Sprintf("faults-%s-%d", r.id, r.starts)}
	r.mutex.Unlock()
	pair, err := shared.ServingPair(m.name)
	if err != nil {
		return nil, err
	}
	m.proxy, err = faultproxy.Start(faultproxy.Options{
		Name: m.name, Upstream: shared.URL(), CAFile: shared.ServingCAFile(), Cert: pair.Cert, Key: pair.Key,
		Journal: &r.journal, View: r.onlyThis, Seen: r.seen,
	})
	if err != nil {
		return nil, err
	}
	m.proxy.Add(r.rules...)
	kubeconfig, err := shared.At(account, m.name, m.proxy.URL)
	if err == nil {
		m.process, err = shared.RunControllersAs(ctx, kubeconfig, m.name, append([]string{
			"--reconcilers=cleanup", "--cleanup-stall-timeout=" + stallTimeout.String(), "--v=2",
		}, r.flags...)...)
	}
	if m.process != nil {
		r.mutex.Lock()
		r.members = append(r.members, m)
		r.mutex.Unlock()
	} else {
		_ = m.proxy.Stop()
	}
	return m, err
}

// replace kills the newest process, and starts another one soon.
func (r *run) replace(t *testing.T) {
	r.mutex.Lock()
	m := r.members[len(r.members)-1]
	r.mutex.Unlock()
	m.process.Kill()
	r.starting.Add(1)
	go func() {
		defer r.starting.Done()
		if _, err := r.begin(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("starting again: %v", err)
		}
	}()
}

// onlyThis narrows lists and watches of the whole cluster to what belongs to this operator.
func (r *run) onlyThis(u *url.URL) {
	query := u.Query()
	add := func(key, more string) {
		query.Set(key, strings.TrimPrefix(query.Get(key)+","+more, ","))
		u.RawQuery = query.Encode()
	}
	switch {
	case u.Path == "/apis/operators.coreos.com/v1alpha1/clusterserviceversions":
		add("fieldSelector", "metadata.namespace="+r.namespace)
	case slices.Contains(heldPaths, u.Path):
		add("labelSelector", "olm.owner.namespace="+r.namespace)
	}
}

var heldPaths = []string{
	"/apis/rbac.authorization.k8s.io/v1/clusterroles",
	"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
	"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
	"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
}

// seen follows how far the cleanup is, and has the oracle look at what is about to happen.
func (r *run) seen(request *faultproxy.Request) {
	what := kindOf(request)
	if what == releasing || what == ending {
		r.oracle.beforeRelease(request)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !request.IsWatch() && what != lease {
		one := call{phase: r.phase, key: r.keyOf(request)}
		r.counts[one]++
		one.nth = r.counts[call{one.phase, one.key, 0}]
		r.calls = append(r.calls, one)
		r.callOf[request] = one
	}
	switch {
	case what == recording && r.phase == uninstalled:
		r.phase = recorded
	case what == deletion && r.phase == recorded:
		r.phase = deleting
	case what == lettingGo && (r.phase == deleting || r.phase == recorded):
		r.phase = letGo
	}
}

// when wants each of some calls, once.
func (r *run) when(wanted map[call]faultproxy.Fault, fired func(call)) []faultproxy.Rule {
	var rules []faultproxy.Rule
	for want, do := range wanted {
		used := false
		rules = append(rules, faultproxy.Rule{Do: do, When: func(request *faultproxy.Request) bool {
			r.mutex.Lock()
			defer r.mutex.Unlock()
			if used || r.callOf[request] != want {
				return false
			}
			used = true
			fired(want)
			return true
		}})
	}
	return rules
}

// soFar are the calls that were made.
func (r *run) soFar() []call {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.calls)
}

func (r *run) now() phase {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.phase
}

// kind is what a write is for.
type kind string

const (
	recording kind = "record"  // what may be deleted
	ending    kind = "end"     // it is said that the operator's rights are let go of
	releasing kind = "release" // the CSV of its finalizer
	marking   kind = "mark"    // another CSV as refused
	telling   kind = "status"  // of the CSV
	holding   kind = "hold"    // the operator's rights
	lettingGo kind = "let go"  // of them
	deletion  kind = "delete"  // a custom resource
	event     kind = "event"
	lease     kind = "lease"
	reading   kind = ""
	unknown   kind = "unknown"
)

func kindOf(request *faultproxy.Request) kind {
	if !request.IsWrite() {
		return reading
	}
	var body struct {
		Metadata struct {
			Annotations map[string]any
			Finalizers  *[]string
		}
	}
	_ = json.Unmarshal(request.Body, &body)
	finalizers := strings.Contains(string(request.Body), `"finalizers"`)
	switch path := request.Path; {
	case strings.Contains(path, "/leases"):
		return lease
	case strings.Contains(path, "/events"):
		return event
	case request.Method == http.MethodDelete && strings.HasPrefix(path, "/apis/") && strings.Contains(path, ".example.com/"):
		return deletion
	case request.Method != http.MethodPatch:
		return unknown
	case strings.Contains(path, "/clusterserviceversions/") && strings.HasSuffix(path, "/status"):
		return telling
	case strings.Contains(path, "/clusterserviceversions/"):
		_, record := body.Metadata.Annotations[recordAnnotation]
		_, end := body.Metadata.Annotations[rightsReleasedAnnotation]
		switch {
		case end && len(body.Metadata.Annotations) == 1 && !finalizers:
			return ending
		case finalizers && len(body.Metadata.Annotations) == 0:
			return releasing
		case record && !finalizers:
			return recording
		case len(body.Metadata.Annotations) == 1 && !finalizers:
			return marking
		}
	case slices.ContainsFunc(heldPaths, func(held string) bool { return strings.HasPrefix(path, held+"/") }) && finalizers:
		if body.Metadata.Finalizers != nil && slices.Contains(*body.Metadata.Finalizers, holdFinalizer) {
			return holding
		}
		return lettingGo
	}
	return unknown
}

// keyOf names a request so that the same one has the same name in every run.
func (r *run) keyOf(request *faultproxy.Request) string {
	path := strings.ReplaceAll(request.Path, r.id, "ID")
	if before, _, found := strings.Cut(path, "/events/"); found {
		path = before + "/events/NAME"
	}
	what := kindOf(request)
	if what == deletion {
		// Many are sent at a time.
		path = path[:strings.LastIndex(path, "/")] + "/NAME"
	}
	if what != reading {
		return request.Method + " " + path + " (" + string(what) + ")"
	}
	return request.Method + " " + path
}

// set up with rights, an OperatorGroup, custom resources; the process runs and holds the rights. The operator works.
func (r *run) install(t *testing.T, group *olm.Object, names ...string) {
	t.Helper()
	csv := r.csv(r.spaces[0])
	if spec := csv.Object["spec"].(map[string]any); r.author != nil {
		spec["cleanup"] = r.author
	} else {
		delete(spec, "cleanup")
	}
	must(t, olm.Confirm(t.Context(), shared.Any, csv))
	must(t, olm.Create(t.Context(), shared.Any, group, csv))
	made := r.see(t)
	must(t, olm.CreateDeployment(t.Context(), shared.Any, made))
	r.grant(t)
	for _, space := range r.spaces {
		for _, name := range names {
			r.operands(t, space, name)
		}
	}
	r.oracle.meet(t)
	_, err := r.begin(t.Context())
	must(t, err)
	if said, _ := r.author.(map[string]any); said != nil && said["enabled"] != true {
		return
	}
	r.await(t, patience, "the rights are held, and it is said so", func() error {
		if conditions(r.see(t))["RightsHeld"] == nil {
			return fmt.Errorf("nothing is said")
		}
		return r.held(t, true)
	})
}

// uninstall deletes the CSV.
func (r *run) uninstall(t *testing.T) {
	t.Helper()
	r.mutex.Lock()
	r.phase = uninstalled
	r.mutex.Unlock()
	r.oracle.change(t, func() { r.scene.uninstall(t) })
}

// await polls, more seldom than eventually: many runs wait at a time.
func (r *run) await(t *testing.T, within time.Duration, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) || t.Context().Err() != nil {
			t.Fatalf("not within %s: %s: %v", within, what, err)
		}
		time.Sleep(4 * glance)
	}
}

// ends waits until the CSV and what was held are gone, and has the oracle judge.
func (r *run) ends(t *testing.T, within time.Duration) {
	t.Helper()
	r.await(t, within, "the CSV is gone", func() error {
		csv, err := shared.Any.Resource(olm.CSVs).Namespace(r.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("finalizers %q, conditions %v", csv.GetFinalizers(), conditions(csv))
		}
		return err
	})
	// I4: a sweep comes every minute.
	r.await(t, patience, "nothing is held", func() error {
		if err := r.held(t, false); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
	r.oracle.judge(t)
}

// operandsIn are the names of the custom resources in a namespace, and of those that are being deleted.
func (r *run) operandsIn(t *testing.T, namespace string) (there, deleting []string) {
	t.Helper()
	list, err := shared.Any.Resource(r.widgets()).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, operand := range list.Items {
		there = append(there, operand.GetName())
		if operand.GetDeletionTimestamp() != nil {
			deleting = append(deleting, operand.GetName())
		}
	}
	return there, deleting
}

// story is what its processes asked for, for people.
func (r *run) story() string {
	var text strings.Builder
	var began time.Time
	for _, request := range r.journal.All() {
		if began.IsZero() {
			began = request.Began
		}
		if request.IsWatch() || strings.Contains(request.Path, "/leases") {
			continue
		}
		fmt.Fprintf(&text, "%8.3f %s %s: %d", request.Began.Sub(began).Seconds(), request.Client, r.keyOf(&request), request.Code)
		if !request.Delivered {
			text.WriteString(" (not told)")
		}
		text.WriteString("\n")
	}
	return text.String()
}
