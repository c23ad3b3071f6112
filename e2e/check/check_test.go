package check_test

import (
	"errors"
	"fmt"
	"testing"

	"steward.dev/e2e/check"
)

func TestEventually(t *testing.T) {
	looks := 0
	took := check.Eventually(t, func() error {
		if looks++; looks < 4 {
			return errors.New("not yet")
		}
		return nil
	})
	if looks != 4 || took <= 0 {
		t.Errorf("%d looks in %s", looks, took)
	}
}

// recorder keeps what is logged.
type recorder struct {
	testing.TB
	logged string
}

func (r *recorder) Name() string                    { return "TestSome/case" }
func (r *recorder) Helper()                         {}
func (r *recorder) Logf(format string, args ...any) { r.logged = fmt.Sprintf(format, args...) }

// ./dev test looks for one line that begins with the name of a test.
func TestFlaky(t *testing.T) {
	r := &recorder{TB: t}
	check.Flaky(r, "got\n  one: two")
	if want := "FLAKY TestSome/case: got one: two"; r.logged != want {
		t.Errorf("%q, want %q", r.logged, want)
	}
}
