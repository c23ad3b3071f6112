package check_test

import (
	"errors"
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
