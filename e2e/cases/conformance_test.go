package cases

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

// TestConformance runs the cases of kube/testing/conformance against a kube-apiserver with the controllers that they
// know of: what Steward's own stores are held to is what a real server does. One subtest per case.
func TestConformance(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	program := filepath.Join(root, "bin", "kube_conformance")
	if own := os.Getenv("STEWARD_CONFORMANCE_BIN"); own != "" {
		program = own
	}
	if _, err := os.Stat(program); err != nil {
		t.Skipf("no conformance program (./dev test makes it, or point STEWARD_CONFORMANCE_BIN at one): %v", err)
	}
	// Definitions come and go by the dozen: not on the shared cluster, whose answers others measure.
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{"namespace", "garbagecollector"}})
	must(t, err)
	t.Cleanup(func() { must(t, c.Stop()) })

	cases := runCases(t, program, c.Admin, "")
	if len(cases) == 0 {
		t.Error("no cases ran")
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			// It has seconds to see what a server says, of watches that end after one or two: a busy one gets more chances.
			first := one
			for again := 0; again < 2 && one.verdict == "FAIL"; again++ {
				t.Log(one.text)
				if alone := runCases(t, program, c.Admin, "^"+regexp.QuoteMeta(one.name)+"$"); len(alone) == 1 {
					one = alone[0]
				}
			}
			if first.verdict == "FAIL" && one.verdict == "PASS" {
				check.Flaky(t, first.text)
			}
			switch one.verdict {
			case "PASS":
			case "SKIP":
				t.Skip(one.text)
			default:
				t.Error(one.text)
			}
		})
	}
}

// runCases runs those whose names match.
func runCases(t *testing.T, program, kubeconfig, names string) []conformanceCase {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "--kubeconfig", kubeconfig, "--controllers", "--run", names)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%s: %v\n%s", program, err, complaints.String())
	}
	if complaints.Len() > 0 {
		t.Error(complaints.String())
	}
	return readCases(out)
}

type conformanceCase struct {
	verdict, name, text string
}

// readCases reads the program's output: a line per case, "VERDICT name text", and indented lines that belong to it.
func readCases(out []byte) []conformanceCase {
	var cases []conformanceCase
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, " ") && len(cases) > 0 {
			cases[len(cases)-1].text += "\n" + line
			continue
		}
		verdict, rest, _ := strings.Cut(line, " ")
		name, text, _ := strings.Cut(rest, " ")
		cases = append(cases, conformanceCase{verdict, name, text})
	}
	return cases
}
