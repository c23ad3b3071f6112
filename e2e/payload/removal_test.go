package payload_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// R-003-17…21, 48, 49: what a finalizer holds is in progress, and named wherever one looks. It holds up neither the rest of the payload nor
// a patch, but the next minor, until it is gone.
func TestRemoval_R_003_17_18_19_20_48_Finalizer(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	held, other, last := finalized(configMap(where, "held")), configMap(where, "other"), configMap(where, "last")
	s.there(held, other)
	release := files{
		"0000_10_some_a.yaml": docs(deleted(held)), "0000_10_some_b.yaml": docs(deleted(other)), "0000_20_some_c.yaml": docs(applied(last)),
	}
	s.pays("4.5.0", release)
	s.starts()
	s.completes("4.5.0")
	s.all(last)
	s.gone(other)
	uid := string(s.found(held).GetUID())
	if r := s.removes(held, "Ongoing"); r.UID != uid || r.Version != "4.5.0" {
		t.Errorf("%v, uid %s, want %s", r, r.UID, uid)
	}
	s.tells("Normal", "RemovalInitiated", identity(held))
	s.notUpgradeable(held)
	s.metric(`steward_payload_removals{state="Ongoing"}`, 1)

	// A patch passes.
	s.pays("4.5.1", release.and(files{"0000_20_some_c.yaml": docs(applied(with(last, "a", "4.5.1")))}))
	s.completes("4.5.1")
	if value := dataOf(s.found(last), "a"); value != "4.5.1" {
		t.Errorf("the data is %q", value)
	}
	s.notUpgradeable(held)

	// The next minor does not; the same without the delete manifest, as R-003-35 has it.
	began := time.Now()
	s.pays("4.6.0", files{"0000_20_some_c.yaml": docs(applied(with(last, "a", "4.6.0")))})
	s.tells("Warning", "UpdateBlocked", identity(held), "ResourceDeletesInProgress")
	if list := s.wrote(began); len(list) > 0 {
		t.Errorf("it wrote %v", list)
	}
	if r := s.record(); r.Version != "4.5.1" {
		t.Errorf("the record is %+v", r)
	}
	if value := dataOf(s.found(last), "a"); value != "4.5.1" {
		t.Errorf("the data is %q", value)
	}
	s.releases(held)
	s.gone(held)
	s.completes("4.6.0")
	s.upgradeable()
	s.tells("Normal", "RemovalCompleted", identity(held))
	// What no manifest asks for any more, and has ended, is forgotten.
	if r := s.record(); len(r.Removals) > 0 {
		t.Errorf("the removals are %v", r.Removals)
	}
	if value := dataOf(s.found(last), "a"); value != "4.6.0" {
		t.Errorf("the data is %q", value)
	}
}

// R-003-48: a minor update that still has the delete manifest of what an earlier minor removed is refused; patches are not. It is taken with
// --allow-stale-deletes, as with --payload-force.
func TestRemoval_R_003_35_47_48_StaleDeletes(t *testing.T) {
	for _, flag := range []string{"--allow-stale-deletes", "--payload-force"} {
		t.Run(flag, func(t *testing.T) {
			s := newScene(t)
			where := s.namespace()
			old := configMap(where, "old")
			s.there(old)
			release := files{"0000_10_some_a.yaml": docs(deleted(old))}
			s.pays("4.5.0", release)
			s.starts()
			s.completes("4.5.0")
			s.gone(old)
			s.pays("4.5.1", release)
			s.completes("4.5.1")
			s.pays("4.6.0", release)
			s.tells("Warning", "UpdateBlocked", identity(old))
			if r := s.record(); r.Version != "4.5.1" {
				t.Errorf("the record is %+v", r)
			}
			s.stops()
			s.starts(flag)
			s.completes("4.6.0")
		})
	}
}

// R-003-47, 51: what is not there is done, with a note; it is nobody's fault. That goes for a kind that is gone, too.
func TestRemoval_R_003_47_NothingThere(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	absent, relic, nowhere := configMap(where, "absent"), object("gone.example.net/v1", "Relic", "", "some", nil), configMap(s.name+"-nowhere", "some")
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(deleted(absent), deleted(relic), deleted(nowhere))})
	s.starts()
	s.completes("4.5.0")
	for _, each := range []*olm.Object{absent, relic, nowhere} {
		if r := s.removes(each, "Completed"); r.Note == "" || r.UID != "" {
			t.Errorf("%v, uid %q", r, r.UID)
		}
	}
	s.upgradeable()
}

// R-003-16, 53: an object that comes back under the name is somebody's. It is told of, lives, and forbids no update.
func TestRemoval_R_003_16_53_Reappears(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	old := configMap(where, "old")
	s.there(old)
	release := files{"0000_10_some_a.yaml": docs(deleted(old)), "0000_10_some_b.yaml": docs(applied(configMap(where, "marker")))}
	s.pays("4.5.0", release)
	s.starts()
	s.completes("4.5.0")
	s.gone(old)
	s.there(old)
	s.removes(old, "Reappeared")
	s.tells("Warning", "ObjectReappeared", identity(old))
	s.metric("steward_payload_reappeared_total", 1)
	s.upgradeable()
	s.tampers(configMap(where, "marker"))
	// A patch does not delete it either.
	s.pays("4.5.1", release)
	s.completes("4.5.1")
	s.all(old)
	s.metric("steward_payload_reappeared_total", 1)
	// Unless that is asked for.
	s.stops()
	s.pays("4.5.2", release)
	s.starts("--payload-redelete")
	s.completes("4.5.2")
	s.gone(old)
	s.removes(old, "Completed")
}

// R-003-22, 23: with the second option the rest waits for the removal, until it is confirmed or the time is up.
func TestRemoval_R_003_22_Blocking(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	held, last := finalized(configMap(where, "held")), configMap(where, "last")
	s.there(held)
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(deleted(held)), "0000_20_some_b.yaml": docs(applied(last))})
	s.starts("--payload-delete=blocking", "--payload-delete-timeout=2s")
	s.removes(held, "Ongoing")
	s.notUpgradeable(held)
	// The time is up: an error, after which it is tried again.
	s.metric("steward_payload_failed_objects", 1)
	s.gone(last)
	if r := s.record(); r.Completed != "" || r.State != "Updating" {
		t.Errorf("the record is %+v", r)
	}
	s.releases(held)
	s.completes("4.5.0")
	s.all(last)
	s.removes(held, "Completed")
	s.upgradeable()
}

// R-000-77: an operator that is opted in to cleanup is not deleted by a payload; the rest goes on. Once it is not, it goes.
func TestRemoval_R_000_77_AnOperatorThatIsOptedIn(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	operator := olm.CSV("some.v1", olm.OperatorGroup(where, "group"))
	operator.SetNamespace(where)
	operator.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
	s.there(operator)
	csv := object("operators.coreos.com/v1alpha1", "ClusterServiceVersion", where, "some.v1", nil)
	s.pays("4.5.0", files{"0000_10_a_1.yaml": docs(deleted(csv)), "0000_10_b_1.yaml": docs(applied(configMap(where, "beside")))})
	s.starts()
	s.removes(csv, "Failed")
	s.tells("Warning", "RemovalRefused", identity(csv))
	s.notUpgradeable(csv)
	s.all(csv, configMap(where, "beside"))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, where, "some.v1", func(live *olm.Object) { live.SetFinalizers(nil) }))
	s.completes("4.5.0")
	s.gone(csv)
	s.removes(csv, "Completed")
	s.upgradeable()
}

// recreated deletes an object and makes another of its name, as its administrator does.
func (s *scene) recreated(object *olm.Object) {
	s.Helper()
	at := shared.Any.Resource(resourceOf(object)).Namespace(object.GetNamespace())
	must(s.T, at.Delete(s.Context(), object.GetName(), metav1.DeleteOptions{}))
	s.gone(object)
	must(s.T, olm.CreateAs(s.Context(), shared.Any, resourceOf(object), object))
}

// lives fails unless an object is there with that UID, after the process has gone over everything.
func (s *scene) lives(object *olm.Object, uid string, marker *olm.Object) {
	s.Helper()
	s.removes(object, "Reappeared")
	s.tells("Warning", "ObjectReappeared", identity(object))
	s.tampers(marker)
	s.all(object)
	if now := string(s.found(object).GetUID()); now != uid {
		s.Errorf("%s is another one", identity(object))
	}
}

// R-003-56: the process is killed in each phase of a removal. The next one goes on where it ended; and an object that came under the name
// meanwhile is somebody else's.
func TestRemoval_R_003_56_KilledInEachPhase(t *testing.T) {
	for _, tc := range []struct {
		name string
		// killed leads to the phase and returns once the process is dead.
		killed func(s *scene, old *olm.Object)
		held   bool // a finalizer holds the object
	}{
		{"before the record", func(s *scene, old *olm.Object) {
			hold := holds(s.T, "CREATE", "before")
			s.starts()
			hold.waits(s.T)
			s.process.Kill()
			hold.ends(s.T)
			hold.lets()
			if r := s.record(); len(r.Removals) > 0 || r.Completed != "" {
				s.Errorf("the record is %+v", r)
			}
			s.all(old)
		}, false},
		{"between record and deletion", func(s *scene, old *olm.Object) {
			hold := holds(s.T, "DELETE", "old")
			s.starts()
			hold.waits(s.T)
			s.process.Kill()
			hold.ends(s.T)
			hold.lets()
			s.isInitiated(old)
			s.all(old)
		}, false},
		{"while it goes", func(s *scene, old *olm.Object) {
			s.starts()
			s.removes(old, "Ongoing")
			s.completes("4.5.0")
			s.process.Kill()
		}, true},
		{"while it goes, in the midst of the update", func(s *scene, old *olm.Object) {
			hold := holds(s.T, "CREATE", "behind")
			s.starts()
			hold.waits(s.T)
			s.process.Kill()
			hold.ends(s.T)
			hold.lets()
			if s.found(old).GetDeletionTimestamp() == nil {
				s.Error("it is not being deleted")
			}
		}, true},
		{"when it is gone, in the midst of the update", func(s *scene, old *olm.Object) {
			hold := holds(s.T, "CREATE", "behind")
			s.starts()
			hold.waits(s.T)
			s.gone(old)
			s.process.Kill()
			hold.ends(s.T)
			hold.lets()
			if r := s.record(); r.Completed != "" {
				s.Errorf("the record is %+v", r)
			}
		}, false},
		{"after the update", func(s *scene, old *olm.Object) {
			s.starts()
			s.completes("4.5.0")
			s.gone(old)
			s.removes(old, "Completed")
			s.process.Kill()
		}, false},
	} {
		scene := func(t *testing.T) (s *scene, old, marker *olm.Object) {
			s = newScene(t)
			where := s.namespace()
			old, marker = seen(configMap(where, "old")), configMap(where, "marker")
			if tc.held {
				old = finalized(old)
			}
			s.there(old)
			s.pays("4.5.0", files{
				"0000_10_some_a.yaml": docs(applied(seen(configMap(where, "before")))), "0000_20_some_b.yaml": docs(deleted(old)),
				"0000_30_some_c.yaml": docs(applied(seen(configMap(where, "behind")))), "0000_40_some_d.yaml": docs(applied(marker)),
			})
			return s, old, marker
		}
		t.Run(tc.name, func(t *testing.T) {
			s, old, marker := scene(t)
			tc.killed(s, old)
			s.starts()
			if tc.held {
				s.says("4.5.0 completed", func(r record) bool { return r.Completed != "" })
				s.removes(old, "Ongoing")
				s.notUpgradeable(old)
				s.releases(old)
			}
			s.says("4.5.0 completed", func(r record) bool { return r.Completed != "" && r.State == "Reconciling" })
			s.gone(old)
			s.removes(old, "Completed")
			s.tampers(marker)
			s.upgradeable()
			s.all(configMap(old.GetNamespace(), "before"), configMap(old.GetNamespace(), "behind"), configMap(old.GetNamespace(), "marker"))
		})
		if tc.name == "before the record" {
			continue // nobody would know of the first one
		}
		t.Run(tc.name+", and another object of the name", func(t *testing.T) {
			s, old, marker := scene(t)
			tc.killed(s, old)
			bare := seen(configMap(old.GetNamespace(), "old"))
			switch {
			case tc.held:
				s.releases(old)
				s.gone(old)
				must(t, olm.CreateAs(t.Context(), shared.Any, resourceOf(bare), bare))
			case tc.name == "between record and deletion":
				s.recreated(bare)
			default:
				must(t, olm.CreateAs(t.Context(), shared.Any, resourceOf(bare), bare))
			}
			uid := string(s.found(bare).GetUID())
			s.starts()
			s.says("4.5.0 completed", func(r record) bool { return r.Completed != "" && r.State == "Reconciling" })
			s.lives(bare, uid, marker)
			s.upgradeable()
		})
	}
}

// isInitiated fails unless the record says so, with the object's UID, and nothing was deleted yet.
func (s *scene) isInitiated(object *olm.Object) {
	s.Helper()
	r := s.record().of(object)
	if live := s.found(object); r.State != "Initiated" || r.UID != string(live.GetUID()) || live.GetDeletionTimestamp() != nil {
		s.Errorf("%v of uid %s; the object has %s and is deleted at %v", r, r.UID, live.GetUID(), live.GetDeletionTimestamp())
	}
}

// An object that is exchanged while its deletion is under way is not the one that was meant: the deletion carries the UID.
func TestRemoval_ADeletionIsOfOneObject(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	old, marker := seen(configMap(where, "old")), configMap(where, "marker")
	s.there(old)
	hold := holds(t, "DELETE", "old")
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(deleted(old)), "0000_20_some_b.yaml": docs(applied(marker))})
	s.starts()
	hold.waits(t)
	s.recreated(old)
	uid := string(s.found(old).GetUID())
	hold.lets()
	s.says("4.5.0 completed", func(r record) bool { return r.Completed != "" && r.State == "Reconciling" })
	s.lives(old, uid, marker)
	s.upgradeable()
}
