package plugin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"steward.dev/e2e/terminal"
)

// screen is a run of `kubectl steward` in a terminal.
type screen struct{ *terminal.Session }

func open(t *testing.T, environment []string, args ...string) *screen {
	t.Helper()
	cmd := command(t, shared.Admin, args...)
	cmd.Env = append(cmd.Env, environment...)
	session, err := terminal.Start(cmd, 40, 100)
	must(t, err)
	t.Cleanup(session.Close)
	return &screen{session}
}

func (s *screen) shows(t *testing.T, text string) {
	t.Helper()
	eventually(t, func() error {
		if !strings.Contains(s.Output(), text) {
			return fmt.Errorf("no %q in %q", text, s.Output())
		}
		return nil
	})
}

func (s *screen) types(t *testing.T, text string) {
	t.Helper()
	must(t, s.Type(text))
}

func (s *screen) ends(t *testing.T, want int) {
	t.Helper()
	select {
	case <-s.Done:
	case <-time.After(patience):
		t.Fatalf("still running: %q", s.Output())
	}
	t.Logf("the screen:\n%s", s.Output())
	if code := s.Cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
}

// In a terminal it asks once, and redraws how far it is.
func TestTerminal_AsksAndRedraws(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	run := open(t, []string{"TERM=xterm-256color"}, "uninstall", csvName, "-n", s.namespace, "--cleanup")
	run.shows(t, "Uninstall operator.v1 and delete 3 custom resources? [y/N] ")
	s.unchanged(t)
	run.types(t, "y\n")
	run.shows(t, "0 of 3 deleted")
	s.operate(t, time.Second)
	run.ends(t, 0)
	for _, want := range []string{"\x1b[1m", "\x1b[32m", "A\x1b[J", "0 of 3 deleted", "3 of 3 deleted", "is gone, and so are the 3 custom resources that were to be deleted; "} {
		if !strings.Contains(run.Output(), want) {
			t.Errorf("%q was not on the screen", want)
		}
	}
	s.has(t, s.kept()...)
}

func TestTerminal_NoIsNo(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	for _, answer := range []string{"n\n", "\n", "\x04"} {
		run := open(t, []string{"TERM=xterm", "NO_COLOR=1"}, "uninstall", csvName, "-n", s.namespace, "--cleanup")
		run.shows(t, "[y/N]")
		run.types(t, answer)
		run.ends(t, 3)
		if strings.Contains(run.Output(), "\x1b[") {
			t.Errorf("colours in spite of NO_COLOR: %q", run.Output())
		}
	}
	s.unchanged(t)
}

// A terminal that can do no more than print gets lines, and can be asked all the same.
func TestTerminal_Dumb(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	s.operate(t, 0)
	run := open(t, []string{"TERM=dumb"}, "uninstall", csvName, "-n", s.namespace, "--cleanup")
	run.shows(t, "[y/N]")
	run.types(t, "yes\n")
	run.ends(t, 0)
	if strings.Contains(run.Output(), "\x1b") {
		t.Errorf("escapes for a dumb terminal: %q", run.Output())
	}
}
