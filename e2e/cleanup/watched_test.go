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
	// soon is how long it may take on a busy machine until something that goes is seen.
	soon = 7 * time.Second
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
			s.operands(t, at, "a", "b")
			s.uninstall(t)
			pending := func(want float64) error {
				value, err := reconciling.Metric(t.Context(), s.series("steward_cleanup_pending_operands", ""))
				if err == nil && value != want {
					err = fmt.Errorf("%v are pending, not %v", value, want)
				}
				return err
			}
			steadily(t, idle, func() error { return errors.Join(pending(2), s.polled(t)) })
			s.finish(t, at, "a")
			finished := time.Now()
			eventually(t, func() error { return pending(1) })
			if took := time.Since(finished); took > soon {
				t.Errorf("the first was seen after %s", took)
			}
			steadily(t, idle, func() error { return errors.Join(pending(1), s.polled(t)) })
			s.finish(t, at, "b")
			finished = time.Now()
			s.gone(t)
			if took := time.Since(finished); took > soon {
				t.Errorf("the operator was gone %s after the last", took)
			}
		})
	}
}
