package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	watchers   = 300
	halfRead   = 60
	strangers  = 1000
	rememberer = "home"
	remembered = "target"
)

// restarted is a cluster with one API server of Steward's, which is killed and started again at the same address.
type restarted struct {
	*cluster.Cluster
	s       *cluster.Steward
	group   *olm.Object
	clients []dynamic.Interface
}

// R-PRJ-06: an API server that was killed is asked to go on where it was, and does, as long as the cluster knows what was.
func TestRestart_R_PRJ_06_IsNotNoticed(t *testing.T) {
	r := startRestarted(t)
	for i := range 12 {
		must(t, olm.Create(t.Context(), r.Any, olm.CSV(fmt.Sprintf("steady-%02d", i), r.group, remembered)))
	}
	r.see(t, "steady-11")

	t.Run("Killed", func(t *testing.T) {
		numbers, tokens, names := r.holders(t)
		r.s.Process.Kill()
		must(t, olm.Create(t.Context(), r.Any, olm.CSV("born", r.group, remembered)))
		r.label(t, "steady-03", "changed")
		must(t, r.Any.Resource(olm.CSVs).Namespace(rememberer).Delete(t.Context(), "steady-07", metav1.DeleteOptions{}))
		must(t, r.s.Start())
		must(t, r.s.WaitReady(t.Context()))
		r.goOn(t, numbers, []string{"ADDED born", "DELETED steady-07", "MODIFIED steady-03"})
		r.readOn(t, tokens, names)
	})
	t.Run("NothingHappened", func(t *testing.T) {
		numbers, tokens, names := r.holders(t)
		r.s.Process.Kill()
		must(t, r.s.Start())
		must(t, r.s.WaitReady(t.Context()))
		r.label(t, "steady-04", "afterwards")
		r.goOn(t, numbers, []string{"MODIFIED steady-04"})
		r.readOn(t, tokens, names)
	})
	t.Run("Strangers", func(t *testing.T) { r.strangers(t) })
	t.Run("Compacted", func(t *testing.T) {
		number := r.list(t, 0).GetResourceVersion()
		r.s.Process.Kill()
		r.label(t, "steady-05", "unseen")
		must(t, r.CompactEtcd(t.Context()))
		// What it remembers of the time before is forgotten, too.
		r.KillAPIServer()
		must(t, r.StartAPIServer(t.Context()))
		must(t, r.s.Start())
		must(t, r.s.WaitReady(t.Context()))
		_, err := r.watch(t.Context(), 0, number, 1)
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			t.Errorf("a state that nobody knows: %v", err)
		}
		list := r.list(t, 0)
		r.label(t, "steady-05", "seen")
		got, err := r.watch(t.Context(), 0, list.GetResourceVersion(), 1)
		must(t, err)
		if !slices.Equal(got, []string{"MODIFIED steady-05"}) {
			t.Errorf("after another list: %q", got)
		}
	})
}

func startRestarted(t *testing.T) *restarted {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 20)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, loadCRDs(t.Context(), c))
	s, err := c.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, c.WaitServed(t.Context()))
	r := &restarted{Cluster: c, s: s, group: olm.OperatorGroup(rememberer, "one", remembered)}
	must(t, olm.Create(t.Context(), c.Any, olm.Namespace(rememberer), olm.Namespace(remembered), r.group))
	// A connection carries no more than some hundred streams.
	for i := range 12 {
		config := rest.CopyConfig(masters(t, s))
		config.UserAgent = fmt.Sprintf("e2e-restart-%d", i)
		config.QPS = -1
		client, err := dynamic.NewForConfig(config)
		must(t, err)
		r.clients = append(r.clients, client)
	}
	return r
}

func (r *restarted) label(t *testing.T, name, value string) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), r.Any, olm.CSVs, rememberer, name, func(csv *olm.Object) { csv.SetLabels(map[string]string{"step": value}) }))
}

func (r *restarted) see(t *testing.T, name string) {
	t.Helper()
	eventually(t, func() error {
		_, err := r.clients[0].Resource(olm.InstalledOperators).Namespace(remembered).Get(t.Context(), name, metav1.GetOptions{})
		return err
	})
}

func (r *restarted) list(t *testing.T, client int) *unstructured.UnstructuredList {
	t.Helper()
	list, err := r.clients[client%len(r.clients)].Resource(olm.InstalledOperators).Namespace(remembered).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	return list
}

// holders are clients that have a number each, and some that have read half of a list, whose names are returned.
func (r *restarted) holders(t *testing.T) (numbers, tokens, names []string) {
	t.Helper()
	for i := range watchers {
		list := r.list(t, i)
		numbers = append(numbers, list.GetResourceVersion())
		if i > 0 {
			continue
		}
		for _, each := range list.Items {
			names = append(names, each.GetName())
		}
	}
	for i := range halfRead {
		page, err := r.clients[i%len(r.clients)].Resource(olm.InstalledOperators).Namespace(remembered).List(t.Context(), metav1.ListOptions{Limit: 5})
		must(t, err)
		tokens = append(tokens, page.GetContinue())
	}
	return numbers, tokens, names
}

// watch goes on from a number until it has read so many events, and a moment longer.
func (r *restarted) watch(ctx context.Context, client int, number string, count int) (got []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	running, err := r.clients[client%len(r.clients)].Resource(olm.InstalledOperators).Namespace(remembered).Watch(ctx,
		metav1.ListOptions{ResourceVersion: number})
	if err != nil {
		return nil, err
	}
	defer running.Stop()
	var moment <-chan time.Time
	for {
		select {
		case event, open := <-running.ResultChan():
			if !open {
				return got, errors.New("the watch ended")
			}
			if event.Type == watch.Error {
				return got, apierrors.FromObject(event.Object)
			}
			got = append(got, string(event.Type)+" "+event.Object.(metav1.Object).GetName())
			if len(got) == count {
				moment = time.After(200 * time.Millisecond)
			}
		case <-moment:
			slices.Sort(got)
			return got, nil
		}
	}
}

// goOn resumes every watch, at once: each is told all that happened meanwhile, and nothing twice.
func (r *restarted) goOn(t *testing.T, numbers, expected []string) {
	t.Helper()
	began := time.Now()
	var all sync.WaitGroup
	failures := make(chan string, len(numbers))
	for i, number := range numbers {
		all.Go(func() {
			if got, err := r.watch(t.Context(), i, number, len(expected)); err != nil || !slices.Equal(got, expected) {
				failures <- fmt.Sprintf("from %s: %q %v", number, got, err)
			}
		})
	}
	all.Wait()
	close(failures)
	slices.Sort(numbers)
	t.Logf("%d watches from %d numbers: %d failed, after %s", len(numbers), len(slices.Compact(numbers)), len(failures), time.Since(began).Round(time.Millisecond))
	shown := 0
	for failure := range failures {
		if shown++; shown <= 5 {
			t.Error(failure)
		}
	}
}

// readOn reads every half-read list to its end, which is as it was when it began.
func (r *restarted) readOn(t *testing.T, tokens, names []string) {
	t.Helper()
	for i, token := range tokens {
		page, err := r.clients[i%len(r.clients)].Resource(olm.InstalledOperators).Namespace(remembered).List(t.Context(),
			metav1.ListOptions{Limit: 500, Continue: token})
		if err != nil {
			t.Errorf("the rest of a list: %v", err)
			return
		}
		var got []string
		for _, each := range page.Items {
			got = append(got, each.GetName())
		}
		if !slices.Equal(got, names[5:]) {
			t.Errorf("the rest of a list is %q, and was %q", got, names[5:])
			return
		}
	}
}

// strangers come with as many numbers as there are of them, all of before the start: they hold nobody up, and the cluster is asked for no
// more than docs/limits.md says.
func (r *restarted) strangers(t *testing.T) {
	for i := range strangers + 200 {
		_, err := r.Kube.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("filler-%d", i)}}, metav1.CreateOptions{})
		must(t, err)
	}
	r.label(t, "steady-06", "last")
	var number string
	eventually(t, func() error {
		list := r.list(t, 0)
		number = list.GetResourceVersion()
		for _, each := range list.Items {
			if each.GetName() == "steady-06" && each.GetLabels()["step"] == "last" {
				return nil
			}
		}
		return errors.New("it is not seen yet")
	})
	r.s.Process.Kill()
	must(t, r.s.Start())
	must(t, r.s.WaitReady(t.Context()))
	before := r.lists(t)
	ctx, stop := context.WithTimeout(t.Context(), 40*time.Second)
	defer stop()
	var all sync.WaitGroup
	for i := range strangers {
		all.Go(func() { _, _ = r.watch(ctx, i, older(t, number, i+1), 1) })
	}
	slowest, reads := time.Duration(0), 0
	for ctx.Err() == nil {
		began := time.Now()
		_, err := r.clients[0].Resource(olm.InstalledOperators).Namespace(remembered).List(ctx, metav1.ListOptions{})
		if ctx.Err() != nil {
			break
		}
		must(t, err)
		slowest = max(slowest, time.Since(began))
		reads++
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	all.Wait()
	asked := r.lists(t) - before
	t.Logf("%d reads meanwhile, the slowest took %s; the cluster was asked for %d lists of ClusterServiceVersions", reads, slowest.Round(time.Millisecond), asked)
	// Of each source one a second at first, then one in ten seconds.
	if asked > 20 {
		t.Errorf("%d lists in 40 s", asked)
	}
}

// older is a number whose ClusterServiceVersions are of so many revisions before.
func older(t *testing.T, number string, revisions int) string {
	t.Helper()
	// clock 12 | sub 2 | mark 1 | csv 7 | operatorgroup 7 | namespace 7, without leading zeros.
	at := len(number) - 21
	component, err := strconv.Atoi(number[at : at+7])
	must(t, err)
	return fmt.Sprintf("%s%07d%s", number[:at], component-revisions, number[at+7:])
}

var listed = regexp.MustCompile(`(?m)^apiserver_request_total\{[^}]*resource="clusterserviceversions"[^}]*verb="LIST"[^}]*\} ([0-9.e+]+)$`)

// lists is how many lists of ClusterServiceVersions the kube-apiserver has answered.
func (r *restarted) lists(t *testing.T) int {
	t.Helper()
	text, err := r.Kube.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	must(t, err)
	sum := 0.0
	for _, match := range listed.FindAllStringSubmatch(string(text), -1) {
		value, err := strconv.ParseFloat(strings.TrimSpace(match[1]), 64)
		must(t, err)
		sum += value
	}
	return int(sum)
}
