package terminal_test

import (
	"strings"
	"testing"

	"steward.dev/e2e/terminal"
)

func TestScreen(t *testing.T) {
	for name, tc := range map[string]struct{ output, want string }{
		"lines":   {"one\r\ntwo\r\n", "one|two"},
		"colours": {"\x1b[33;1mone\x1b[0m two\r\n", "one two"},
		"redrawn": {"one\r\n0 of 2\r\nwait\r\n\r\x1b[2A\x1b[J1 of 2\r\n", "one|1 of 2"},
		"cleared": {"one\r\ngone\r\n\r\x1b[1A\x1b[Jtwo\r\n", "one|two"},
		"asked":   {"Sure? [y/N] y\r\nDone", "Sure? [y/N] y|Done"},
	} {
		if got := strings.Join(terminal.Screen(tc.output), "|"); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
