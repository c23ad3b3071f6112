package cleanup_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"steward.dev/e2e/faultproxy"
)

// guardAge is how old guards may be when something is deleted (R-000-71).
const guardAge = 2 * time.Second

const allCSVs = "/apis/operators.coreos.com/v1alpha1/clusterserviceversions"

// lastReading is when the last reading of the guards that a client began by then reached its proxy, as the list of all
// CSVs that each of them has shows; zero when there is none.
func lastReading(all []faultproxy.Request, client string, then time.Time) time.Time {
	for _, request := range slices.Backward(all) {
		if request.Client == client && request.Path == allCSVs && !request.IsWrite() && !request.IsWatch() && !request.Began.After(then) {
			return request.Began
		}
	}
	return time.Time{}
}

// slackBetween is what a busy machine may have added, between the moment when a request is sent and that when its proxy
// has it: no more than what the API server and this process were seen to need for anything meanwhile.
func slackBetween(all []faultproxy.Request, from, to time.Time) time.Duration {
	longest := time.Duration(0)
	for _, request := range all {
		if request.IsWatch() || request.Sent.IsZero() || request.Answered.IsZero() || request.Sent.After(to) || request.Answered.Before(from) {
			continue
		}
		longest = max(longest, request.Answered.Sub(request.Sent))
	}
	return longest + stalls.longest(from, to)
}

// butDeletions are the requests by which slackBetween judges. How long a DELETE takes says nothing of how busy the machine is:
// admission, finalizers and a proxy that holds it back all count. Where admission takes 20 s, it would excuse guards of 22 s.
// Each batch of DELETEs has a reading of the guards beside it, which shows a busy machine as well.
func butDeletions(all []faultproxy.Request) []faultproxy.Request {
	return slices.DeleteFunc(slices.Clone(all), func(request faultproxy.Request) bool { return kindOf(&request) == deletion })
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// stalls is how late this process was woken.
var stalls = &stallMeter{}

type stallMeter struct {
	mutex sync.Mutex
	seen  []stall
}

type stall struct {
	from, to time.Time
}

const stallStep = 5 * time.Millisecond

// measure notes every time that this process was not woken when it should have been.
func (m *stallMeter) measure(done <-chan struct{}) {
	ticks := time.NewTicker(stallStep)
	defer ticks.Stop()
	last := time.Now()
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		now := time.Now()
		if now.Sub(last) > 2*stallStep {
			m.mutex.Lock()
			m.seen = append(m.seen, stall{last, now})
			m.mutex.Unlock()
		}
		last = now
	}
}

// longest is the longest of them that overlaps that time.
func (m *stallMeter) longest(from, to time.Time) time.Duration {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	longest := 2 * stallStep
	for _, one := range m.seen {
		if !one.from.After(to) && !one.to.Before(from) {
			longest = max(longest, one.to.Sub(one.from))
		}
	}
	return longest
}

// A DELETE that took long excuses no guards that were old before it was sent, nor those of the next one: the oracle, judged by
// requests that never were.
func TestOracle_SlowDeletionsExcuseNoOldGuards(t *testing.T) {
	t.Parallel()
	const uid, path = "uid", "/apis/g.example.com/v1/namespaces/space/widgets/"
	start := time.Unix(1_000_000_000, 0) // when this process did not stall
	at := func(after time.Duration) time.Time { return start.Add(after) }
	answered := func(method, path, body string, from, to time.Duration) faultproxy.Request {
		return faultproxy.Request{Client: "c", Method: method, Path: path, Body: []byte(body), Began: at(from), Sent: at(from), Answered: at(to), Code: http.StatusOK}
	}
	record := fmt.Sprintf(`{"metadata":{"annotations":{%q:"{\"targets\":\"*\"}"}}}`, recordAnnotation)
	options := fmt.Sprintf(`{"preconditions":{"uid":%q},"propagationPolicy":"Background"}`, uid)
	before := []faultproxy.Request{
		answered(http.MethodPatch, "/apis/operators.coreos.com/v1alpha1/namespaces/ops/clusterserviceversions/x", record, -time.Second, -900*time.Millisecond),
		answered(http.MethodGet, allCSVs, "", 0, 20*time.Millisecond),
	}
	o := &oracle{
		run:    &run{scene: &scene{group: "g.example.com"}},
		truths: []truth{{from: at(-time.Hour), to: at(time.Hour), allows: true, targets: map[string]bool{"": true}}},
		uids:   map[string]string{uid: "space/late"},
	}
	for _, tc := range []struct {
		name string
		age  time.Duration
		good bool
	}{
		{"Fresh", time.Second, true},
		{"Old", 10 * time.Second, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			slow := answered(http.MethodDelete, path+"slow", options, time.Second/2, 20*time.Second)
			late := answered(http.MethodDelete, path+"late", options, tc.age, tc.age+20*time.Second)
			all := append(slices.Clone(before), slow, late)
			if err := o.judgeDelete(&late, all, butDeletions(all)); (err == nil) != tc.good {
				t.Errorf("guards of %s ago: %v", tc.age, err)
			}
		})
	}
}
