package cases

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// recording is what one watch has said so far.
type recording struct {
	subject *subject
	probe   probe
	mutex   sync.Mutex
	events  []string
	begun   bool
	// Where the watch can be continued from: with bookmarks these alone, since an event's number is its object's own.
	places []string
}

func (r *recording) all() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.events)
}

// record opens a watch and keeps its events. Bookmarks that only say how far it is come when they come.
func (s *subject) record(t *testing.T, p probe) *recording {
	t.Helper()
	request, err := p.to(s)
	must(t, err)
	response, err := s.client.Do(request.WithContext(t.Context()))
	must(t, err)
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", s.name, p, response.Status)
	}
	r := &recording{subject: s, probe: p}
	go func() {
		decoder := json.NewDecoder(response.Body)
		for {
			var event struct {
				Type   string
				Object map[string]any
			}
			if decoder.Decode(&event) != nil {
				return
			}
			metadata, _ := event.Object["metadata"].(map[string]any)
			number, _ := metadata["resourceVersion"].(string)
			if r.begun {
				// Ours are null by now (WatchHandlerTest). Those of kube-apiserver are not always: it shares an encoded event
				// among watches, for one of which it may be the first.
				delete(event.Object, "columnDefinitions")
			}
			text := event.Type + " " + s.describe(p, event.Object)
			r.begun = true
			r.mutex.Lock()
			if event.Type == "BOOKMARK" || !p.has("allowWatchBookmarks", "true") {
				r.places = append(r.places, number)
			}
			if !isProgress(text) {
				r.events = append(r.events, text)
			}
			r.mutex.Unlock()
		}
	}()
	return r
}

// ascend checks that the places of a stream never go down.
func (r *recording) ascend() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i := 1; i < len(r.places); i++ {
		a, b := r.places[i-1], r.places[i]
		if len(a) > len(b) || len(a) == len(b) && a > b {
			return fmt.Errorf("%s: %s: %s after %s", r.subject.name, r.probe, b, a)
		}
	}
	return nil
}

// watches makes changes one by one, and compares after each what all watches have said.
func (w *diffWorld) watches(t *testing.T) {
	everything := probe{method: http.MethodGet, query: []pair{{"watch", "true"}}}
	here := probe{method: http.MethodGet, namespace: diffHome, query: everything.query}
	var probes []probe
	for _, p := range []probe{
		everything, everything.with("labelSelector", "tier=gold"), here,
		here.with("resourceVersion", "0"), here.with("resourceVersion", "$old"), here.with("resourceVersion", "$now"),
		here.with("allowWatchBookmarks", "true"),
		here.with("sendInitialEvents", "true").with("resourceVersionMatch", "NotOlderThan").with("allowWatchBookmarks", "true"),
		here.with("sendInitialEvents", "true").with("resourceVersionMatch", "NotOlderThan"),
		here.with("sendInitialEvents", "false").with("resourceVersionMatch", "NotOlderThan").with("allowWatchBookmarks", "true"),
		here.with("labelSelector", "tier=gold"), here.with("labelSelector", "tier!=gold"), here.with("labelSelector", "tier in (gold,silver),weight>5"),
		here.with("labelSelector", "!tier"), here.with("fieldSelector", "metadata.name=alpha"), here.with("fieldSelector", "metadata.name!=alpha"),
		here.with("fieldSelector", "metadata.name=fresh").with("resourceVersion", "$now"),
	} {
		probes = append(probes, p)
		if len(probes)%3 == 0 {
			probes = append(probes, p.sending("Accept", partial), p.sending("Accept", table))
		}
	}
	probes = append(probes, here.with("includeObject", "None").sending("Accept", table), here.with("includeObject", "Object").sending("Accept", table))

	type row struct {
		want *recording
		got  []*recording
	}
	var rows []row
	for _, p := range probes {
		r := row{want: w.custom.record(t, p)}
		r.got = append(r.got, w.direct.record(t, p), w.hub.record(t, p))
		rows = append(rows, r)
	}
	agree := func() error {
		for _, row := range rows {
			want := row.want.all()
			for _, got := range row.got {
				if events := got.all(); !slices.Equal(events, want) {
					return fmt.Errorf("%s\n  %s:\n    %s\n  %s:\n    %s", got.probe, got.subject.name, strings.Join(events, "\n    "),
						row.want.subject.name, strings.Join(want, "\n    "))
				}
			}
		}
		return nil
	}
	gold, silver := map[string]string{"tier": "gold"}, map[string]string{"tier": "silver"}
	for _, step := range []func(){
		func() {},
		func() { w.label(t, diffHome, "alpha", silver) },
		func() { w.label(t, diffHome, "alpha", gold) },
		func() { w.label(t, diffHome, "omega", gold) },
		func() { w.create(t, diffHome, "fresh", gold) },
		func() { w.label(t, diffHome, "fresh", map[string]string{"weight": "9"}) },
		func() { w.remove(t, diffHome, "fresh") },
		func() { w.create(t, diffHome, "fresh", silver) },
		func() { w.remove(t, diffHome, "beta") },
		func() { w.label(t, diffOther, "zeta", silver) },
		func() { w.remove(t, diffHome, "fresh") },
	} {
		step()
		w.inStep(t)
		eventually(t, agree)
	}
	count := 0
	for _, row := range rows {
		count += len(row.want.all())
		for _, r := range row.got { // kube-apiserver's initial events have each object's own number, with or without bookmarks
			if err := r.ascend(); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d events of %d watches", count, len(rows))
}

// whereToWrite is what the refusal of a write says beyond Kubernetes' own words.
var whereToWrite = regexp.MustCompile(`: KIND(?:s|es) are computed from ClusterServiceVersion(s; change these| diff-a/\w+; change that one)`)

// writes compares the verbs that the virtual resources lack with those that a read-only resource of kube-apiserver lacks.
func (w *diffWorld) writes(t *testing.T) {
	var probes []probe
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		for _, name := range []string{"", "alpha"} {
			for _, header := range [][]pair{nil, {{"Content-Type", "application/json"}}, {{"Content-Type", "text/plain"}},
				{{"Content-Type", "application/merge-patch+json"}}, {{"Accept", "application/yaml"}}, {{"Accept", "text/html"}},
				{{"Accept", protobuf}}, {{"Accept", "APPLICATION/JSON"}}} {
				for _, body := range []string{"", "{}", "not JSON", largeBody} {
					probes = append(probes, probe{method: method, name: name, header: header, body: body})
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(w.seed, 1))
	for range w.count {
		probes = append(probes, writing(r))
	}
	used := map[string]int{}
	statuses := newSubject(t, "CleanupStatuses", "CleanupStatus", olm.CleanupStatuses, w.cluster.Config)
	before := w.stored(t)
	for _, p := range probes {
		want := w.readOnly.ask(t.Context(), p, watchPatience)
		p.namespace = diffHome
		for _, s := range []*subject{w.direct, w.hub, statuses} {
			got := s.ask(t.Context(), p, watchPatience)
			told := whereToWrite.FindString(got.Body)
			if got.Code == http.StatusMethodNotAllowed && p.name != "nobody" && strings.Contains(told, "that one") != (p.name != "") {
				t.Errorf("%s: it says where to write: %q", p, told)
			}
			got.Body = strings.Replace(got.Body, told, "", 1)
			if got == want {
				continue
			}
			if reason := justify(justifiedWrites, p, got, want, want); reason != "" {
				used[reason]++
			} else {
				t.Errorf("%s %.60q\n  %-15s %s\n  %-15s %s", p, p.body, s.name, got, w.readOnly.name, want)
			}
		}
	}
	allMet(t, justifiedWrites, used)
	if after := w.stored(t); after != before {
		t.Errorf("something was written: before\n%s\nafter\n%s", before, after)
	}
}

// stored are the names and versions of the ClusterServiceVersions.
func (w *diffWorld) stored(t *testing.T) (text string) {
	t.Helper()
	list, err := w.cluster.Any.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, each := range list.Items {
		text += fmt.Sprintf("%s/%s %s\n", each.GetNamespace(), each.GetName(), each.GetResourceVersion())
	}
	return text
}
