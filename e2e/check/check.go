// Package check has what tests wait and fail with. Nothing in it fails because the machine is slow.
package check

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Patience is how long anything is waited for that has to come. How soon it comes is measured elsewhere (cmd/bench): here a
// machine may be as slow as it is, and what is started again may take its longest backoff.
const Patience = 2 * time.Minute

// Must is for steps that only prepare a case.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Seed is a fresh one, or that of an environment variable. It is logged, and replays a run as far as programs that run at the
// same time can be replayed.
func Seed(t testing.TB, variable string) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(variable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		Must(t, err)
	}
	t.Logf("%s=%d", variable, seed)
	return seed
}

// Eventually polls until check is satisfied, and returns how long that took.
func Eventually(t testing.TB, check func() error) time.Duration {
	t.Helper()
	began := time.Now()
	Must(t, Poll(check))
	return time.Since(began)
}

// Poll is Eventually where no test runs. It looks often at first.
func Poll(check func() error) error {
	deadline := time.Now().Add(Patience)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := check()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %s: %w", Patience, err)
		}
		time.Sleep(pause)
	}
}

// Flaky tells of a wrong answer that was right when asked for again. `./dev test` shows such tests and counts them apart:
// they have not passed.
func Flaky(t testing.TB, why string) {
	t.Helper()
	t.Logf("FLAKY %s: %s", t.Name(), strings.Join(strings.Fields(why), " "))
}
