package cleanup_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"steward.dev/e2e/faultproxy"
)

// Everything that can go wrong between the controllers and a kube-apiserver goes wrong once, at every request of a whole
// cleanup, and the processes are killed at every write: whatever happens, the oracle (oracle_test.go) finds nothing, and
// the cleanup ends as it would have. Processes of its own, each behind a proxy, take the place of the shared one.
func TestFaults(t *testing.T) {
	alone(t)
	kinds := newScene(t, 0)
	covered := &coverage{fired: map[string]bool{}}

	var calls []call
	for i := range undisturbed {
		t.Run("Undisturbed", func(t *testing.T) {
			made := ordinary(t, kinds, nil, nil)
			if i == 0 {
				calls = made
			}
			// Of writes, those that are made each time.
			calls = slices.DeleteFunc(calls, func(c call) bool { return isWrite(c) && !slices.Contains(made, c) })
		})
	}
	if t.Failed() {
		return
	}
	t.Run("Disturbed", func(t *testing.T) {
		killed(t, kinds, covered, calls)
		failing(t, kinds, covered, calls)
		silent(t, kinds, covered, calls)
		schedules(t, kinds)
	})
	// A few reads come only where something happens in time.
	missed := covered.missed()
	t.Logf("of %d faults it never came to %q", len(covered.fired), missed)
	for _, what := range missed {
		if !strings.Contains(what, ": "+http.MethodGet+" ") {
			t.Errorf("it never came to %s", what)
		}
	}
	if len(missed) > len(covered.fired)/10 {
		t.Errorf("it never came to %d of %d faults", len(missed), len(covered.fired))
	}
}

const (
	undisturbed = 3
	// attempts: so often a write is waited for that comes only where something happens in time.
	attempts = 4
)

func isWrite(c call) bool { return !strings.HasPrefix(c.key, http.MethodGet) }

// disturbed makes ordinary cleanups with a fault at each of these calls, until it came to each of them that is a write.
func disturbed(t *testing.T, kinds *scene, wanted []call, fault func(*run) faultproxy.Fault, came func(call), within func() time.Duration) {
	t.Helper()
	for range attempts {
		var mutex sync.Mutex
		left := slices.Clone(wanted)
		ordinary(t, kinds, func(r *run) {
			faults := map[call]faultproxy.Fault{}
			for _, at := range wanted {
				faults[at] = fault(r)
			}
			r.rules = r.when(faults, func(at call) {
				mutex.Lock()
				defer mutex.Unlock()
				left = slices.DeleteFunc(left, func(one call) bool { return one == at })
				came(at)
			})
		}, within)
		mutex.Lock()
		wanted = slices.DeleteFunc(left, func(one call) bool { return !isWrite(one) })
		mutex.Unlock()
		if len(wanted) == 0 || t.Failed() {
			return
		}
	}
}

// alone ends the shared process until the test has ended.
func alone(t *testing.T) {
	t.Helper()
	must(t, reconciling.Stop())
	t.Cleanup(func() { must(t, startControllers(context.Background())) })
}

// coverage is which faults there are to be, and which there were.
type coverage struct {
	mutex sync.Mutex
	fired map[string]bool
}

func (c *coverage) wanted(what string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.fired[what] = c.fired[what]
}

func (c *coverage) came(what string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.fired[what] = true
}

func (c *coverage) missed() (missed []string) {
	for what, came := range c.fired {
		if !came {
			missed = append(missed, what)
		}
	}
	slices.Sort(missed)
	return missed
}

// ordinary is a whole cleanup: an operator that is opted in, of whose custom resources some are outside of its targets, is
// uninstalled, and finishes. Faults are made by `prepare`.
func ordinary(t *testing.T, kinds *scene, prepare func(*run), within func() time.Duration) []call {
	r := newRun(t, kinds, 2)
	if prepare != nil {
		prepare(r)
	}
	r.install(t, synced(r.namespace, "group", r.spaces[0]), "a", "b")
	o := r.operateIn(t, 0, 4*glance, r.spaces[0])
	r.uninstall(t)
	patient := 2 * patience // nothing is promised of how soon
	if within != nil {
		patient = within()
	}
	r.ends(t, patient)
	if there, _ := r.operandsIn(t, r.spaces[0]); len(there) > 0 {
		t.Errorf("%q are left", there)
	}
	if there, deleting := r.operandsIn(t, r.spaces[1]); len(there) != 2 || len(deleting) > 0 {
		t.Errorf("of others there are %q, of which %q are being deleted", there, deleting)
	}
	if failed := o.failures(); len(failed) > 0 {
		t.Errorf("the operator could not: %v", failed)
	}
	return r.soFar()
}

// often are the calls that every cleanup makes: the first of each name in each phase. Events come when they come; what is
// read before the operator is uninstalled depends on whether a sweep came first, and so do the lists of what is held until
// the verdict is recorded. Those are made in each later phase, too.
func often(calls []call) []call {
	return slices.DeleteFunc(slices.Clone(calls), func(c call) bool {
		read := strings.HasPrefix(c.key, http.MethodGet)
		return c.nth != 1 || strings.HasSuffix(c.key, "(event)") || c.phase == installed && read ||
			c.phase == uninstalled && read && isHeldKind(c.key)
	})
}

// isHeldKind: is it a list of what may be held for operators?
func isHeldKind(key string) bool {
	for _, kind := range []string{"/clusterroles", "/clusterrolebindings", "webhookconfigurations"} {
		if strings.HasSuffix(key, kind) {
			return true
		}
	}
	return false
}

// killed: the process is killed at every write, when it is on its way, and when it has been carried out, and another one
// takes over.
func killed(t *testing.T, kinds *scene, covered *coverage, calls []call) {
	for _, at := range often(calls) {
		if !isWrite(at) {
			continue
		}
		for name, fault := range map[string]func(func()) faultproxy.Fault{
			"on its way": faultproxy.DropAfter, "carried out": faultproxy.LoseAfter,
		} {
			what := fmt.Sprintf("killed with %s %s", at, name)
			covered.wanted(what)
			t.Run("Killed", func(t *testing.T) {
				t.Parallel()
				t.Log(what)
				kill := func(r *run) faultproxy.Fault { return fault(func() { r.replace(t) }) }
				disturbed(t, kinds, []call{at}, kill, func(call) { covered.came(what) }, nil)
			})
		}
	}
}

// failing: every request fails once in every way. Those of one run are of different phases.
func failing(t *testing.T, kinds *scene, covered *coverage, calls []call) {
	byPhase := map[phase][]call{}
	most := 0
	for _, at := range often(calls) {
		byPhase[at.phase] = append(byPhase[at.phase], at)
		most = max(most, len(byPhase[at.phase]))
	}
	for name, fault := range map[string]faultproxy.Fault{
		"conflict": faultproxy.Fail(http.StatusConflict),
		"busy":     faultproxy.Fail(http.StatusTooManyRequests),
		"broken":   faultproxy.Fail(http.StatusInternalServerError),
		"timeout":  faultproxy.Fail(http.StatusGatewayTimeout),
		"lost":     faultproxy.Lose(),
	} {
		for i := range most {
			var faults []call
			for _, list := range byPhase {
				if i < len(list) {
					faults = append(faults, list[i])
					covered.wanted(name + " " + list[i].String())
				}
			}
			t.Run("Failing", func(t *testing.T) {
				t.Parallel()
				for _, at := range faults {
					t.Logf("%s %s", name, at)
				}
				always := func(*run) faultproxy.Fault { return fault }
				disturbed(t, kinds, faults, always, func(at call) { covered.came(name + " " + at.String()) }, nil)
			})
		}
	}
}

// silent: every kind of request is not answered once, for as long as anybody waits for it.
func silent(t *testing.T, kinds *scene, covered *coverage, calls []call) {
	seen := map[string]bool{}
	for _, at := range often(calls) {
		if at.phase == installed || at.phase == uninstalled || seen[at.key] {
			continue
		}
		seen[at.key] = true
		what := "silent " + at.String()
		covered.wanted(what)
		t.Run("Silent", func(t *testing.T) {
			t.Parallel()
			t.Log(what)
			hang := func(*run) faultproxy.Fault { return faultproxy.Hang() }
			disturbed(t, kinds, []call{at}, hang, func(call) { covered.came(what) }, func() time.Duration { return 3 * patience })
		})
	}
}
