package cleanup_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// idle is longer than the longest wait between two looks at what is not watched.
	idle = 11 * time.Second
	// anyway is less than what is left then until the look that is taken now and then at what is watched: after 30 s.
	anyway = 20 * time.Second
)

// finish removes the finalizer of a custom resource, as its operator does.
func (s *scene) finish(t *testing.T, namespace, name string) {
	t.Helper()
	_, err := shared.Any.Resource(s.widgets()).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(t, err)
}

// polled is an error while what is waited for is not watched.
func (s *scene) polled(t *testing.T) error {
	for _, reason := range []string{"Starting", "Failed", "TooManyWatches"} {
		if _, err := reconciling.Metric(t.Context(), s.series("steward_cleanup_polled", `,reason="`+reason+`"`)); err == nil {
			return fmt.Errorf("it is polled: %s", reason)
		}
	}
	return nil
}

// steadily waits until something has been so for a while without a break.
func steadily(t *testing.T, while time.Duration, check func() error) {
	t.Helper()
	since := time.Now()
	eventually(t, func() error {
		if err := check(); err != nil {
			since = time.Now()
			return err
		}
		if lasted := time.Since(since); lasted < while {
			return fmt.Errorf("so for %s only", lasted)
		}
		return nil
	})
}

// What a cleanup waits for is watched: it goes on as soon as the operator has finished, however long that took.
func TestWatched_WhatTheOperatorFinishesIsSeenSoon(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		targets int // 0: all namespaces
	}{{"OneNamespace", 1}, {"ManyNamespaces", 4}, {"AllNamespaces", 0}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 4)
			s.install(t, s.spaces[:tc.targets]...)
			at := s.spaces[0]
			s.operands(t, at, "a", "b", "c")
			s.uninstall(t)
			pending := func(want float64) error {
				value, err := reconciling.Metric(t.Context(), s.series("steward_cleanup_pending_operands", ""))
				if err == nil && value != want {
					err = fmt.Errorf("%v are pending, not %v", value, want)
				}
				return err
			}
			soonest := patience
			for i, name := range []string{"a", "b"} {
				steadily(t, idle, func() error { return errors.Join(pending(float64(3-i)), s.polled(t)) })
				s.finish(t, at, name)
				finished := time.Now()
				eventually(t, func() error { return pending(float64(2 - i)) })
				soonest = min(soonest, time.Since(finished))
			}
			t.Logf("seen after %s", soonest.Round(time.Millisecond))
			// A busy machine may take its time, but hardly so often.
			if soonest > anyway {
				t.Errorf("seen after %s: it was not told by the watch", soonest)
			}
			s.finish(t, at, "c")
			s.gone(t)
		})
	}
}
