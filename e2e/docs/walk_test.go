// Package docs_test runs every command of the documents that somebody who tries Steward out reads first, on `steward up`
// with the examples, and compares what is printed with what they show.
package docs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/docs"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/samples"
	"steward.dev/e2e/terminal"
)

var must = check.Must

// standIns are commands that are not run as they stand: what is run instead, and why.
var standIns = map[string]struct{ script, reason string }{
	"./dev up": {
		`ROOT=$PWD; source tools/dev/common.sh; source tools/dev/up.sh; find_kubectl() { :; }
		KUBECTL=$(command -v kubectl); show_embedded "$STEWARD_DATA" "$EPOCHREALTIME"`,
		"it builds and starts what the test has started; so only what it prints then is printed",
	},
}

func TestReadme(t *testing.T) {
	w := newWalk(t, "README.md")
	w.commands(t)
	if w.suggested == 0 {
		t.Errorf("%s suggests nothing", w.document)
	}
}

func TestKubectlSteward(t *testing.T) { newWalk(t, "docs/kubectl-steward.md").commands(t) }

func TestOptionalManifests_R_002_17_18(t *testing.T) {
	newWalk(t, "docs/optional-manifests.md", "--feature-gates=OptionalManifests=true").commands(t)
}

func TestPayload(t *testing.T) { newWalk(t, "docs/payload.md").commands(t) }

// Those of documents that have no such command any more go.
func TestStandInsAreUsed(t *testing.T) {
	var all []string
	for _, name := range []string{"README.md", "docs/kubectl-steward.md", "docs/optional-manifests.md", "docs/payload.md"} {
		for _, step := range read(t, name) {
			all = append(all, step.Command)
		}
	}
	for command, standIn := range standIns {
		if standIn.reason == "" || !slices.Contains(all, command) {
			t.Errorf("%q has a stand-in, but no reason for it or no place in a document", command)
		}
	}
}

// walk is a document that is read from its beginning to its end at a terminal.
type walk struct {
	root, document string
	environment    []string
	folder         string // where its commands are run
	code           int    // the exit code of the last one
	suggested      int    // how many commands `./dev up` has suggested
}

func newWalk(t *testing.T, document string, flags ...string) *walk {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	folder := t.TempDir()
	data := filepath.Join(folder, ".steward")
	up, err := embedded.Start(data, append(flags, "--load", filepath.Join(root, "examples"), "--strict")...)
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(check.Patience)) })
	operators, err := samples.New(up.Any, filepath.Join(root, "examples"))
	must(t, err)
	go operators.Run(t.Context(), func(error) {})

	binary, err := cluster.Binary()
	must(t, err)
	tools, err := filepath.Abs(environment("STEWARD_TOOLS", filepath.Join(root, "bin", "tools")))
	must(t, err)
	programs := filepath.Join(folder, "bin")
	must(t, os.Mkdir(programs, 0o755))
	must(t, os.Symlink(binary, filepath.Join(programs, "kubectl-steward")))
	must(t, os.Symlink(binary, filepath.Join(programs, "steward")))
	must(t, os.Symlink(filepath.Join(root, "docs"), filepath.Join(folder, "docs")))
	must(t, os.Symlink(filepath.Join(tools, "kubectl"), filepath.Join(programs, "kubectl")))
	return &walk{
		root: root, document: document, folder: folder,
		environment: []string{
			"KUBECONFIG=" + up.Kubeconfig, "HOME=" + folder, "PATH=" + programs + ":/usr/bin:/bin", "TERM=xterm", "LC_ALL=C.UTF-8",
			"STEWARD_DATA=" + data,
		},
	}
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// read is the steps of a document, and there are some.
func read(t *testing.T, name string) []docs.Step {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	steps, err := docs.Steps(string(text))
	must(t, err)
	if len(steps) == 0 {
		t.Fatalf("%s has no command", name)
	}
	return steps
}

func (w *walk) commands(t *testing.T) {
	steps := read(t, w.document)
	for i, step := range steps {
		w.step(t, step)
		tellsCode := i+1 < len(steps) && steps[i+1].Command == "echo $?"
		if w.code != 0 && !tellsCode {
			t.Errorf("%s:%d: %s: exit code %d, which the document does not show", w.document, step.Line, step.Command, w.code)
		}
		if step.Command == "./dev up" {
			w.suggestions(t)
		}
		if t.Failed() {
			return // what follows stands on this
		}
	}
}

// isRead tells commands that change nothing: what they show may take a while to come about, so they are given again.
var isRead = regexp.MustCompile(`^kubectl (get|steward status) `)

func (w *walk) step(t *testing.T, step docs.Step) {
	t.Helper()
	where := fmt.Sprintf("%s:%d: %s", w.document, step.Line, step.Command)
	if len(step.Beside) > 0 {
		w.beside(t, where, step)
		return
	}
	look := func() error {
		run := w.start(t, step)
		if err := run.end(); err != nil {
			return err
		}
		w.code = run.cmd.ProcessState.ExitCode()
		return docs.Compare(step.Shown, run.screen())
	}
	err := look()
	if err != nil && isRead.MatchString(step.Command) {
		err = check.Poll(look)
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

// beside gives a command, and others in another terminal once it shows what it is to show.
func (w *walk) beside(t *testing.T, where string, step docs.Step) {
	t.Helper()
	run := w.start(t, step)
	if err := check.Poll(func() error { return docs.Compare(step.Shown, run.screen()) }); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	for _, other := range step.Beside {
		w.step(t, other)
		if w.code != 0 {
			t.Errorf("%s:%d: %s: exit code %d", w.document, other.Line, other.Command, w.code)
		}
	}
	if err := run.end(); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	w.code = run.cmd.ProcessState.ExitCode()
	if err := docs.Compare(append([]string{docs.LeftOut}, step.AtLast...), run.screen()); err != nil {
		t.Errorf("%s: at last %v", where, err)
	}
}

// suggestions are the commands that `./dev up` prints for its readers to try: they work, one after the other.
func (w *walk) suggestions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(w.root, w.document))
	must(t, err)
	found := regexp.MustCompile(`(?m)^ {7}(kubectl .+)$`).FindAllStringSubmatch(string(text), -1)
	w.suggested += len(found)
	for _, each := range found {
		run := w.start(t, docs.Step{Command: each[1]})
		if err := run.end(); err != nil || run.cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("%s: %v\n%s", each[1], err, strings.Join(run.screen(), "\n"))
		}
	}
}

// typed is a command that is run at a terminal of its own.
type typed struct {
	cmd    *exec.Cmd
	done   chan struct{}
	mutex  sync.Mutex
	output string
}

// answer is what the document shows to be typed after a question.
var answer = regexp.MustCompile(`\[y/N\] (\S+)$`)

func (w *walk) start(t *testing.T, step docs.Step) *typed {
	t.Helper()
	script, folder := step.Command, w.folder
	if standIn, exists := standIns[script]; exists {
		script, folder = standIn.script, w.root
	}
	answers := ""
	for _, line := range step.Shown {
		if said := answer.FindStringSubmatch(line); said != nil {
			answers += said[1] + "\n"
		}
	}
	ours, theirs, err := terminal.Open(100, 250)
	must(t, err)
	run := &typed{cmd: exec.Command("/bin/bash", "-c", fmt.Sprintf("(exit %d); %s", w.code, script)), done: make(chan struct{})}
	run.cmd.Dir, run.cmd.Env = folder, w.environment
	run.cmd.Stdin, run.cmd.Stdout, run.cmd.Stderr = theirs, theirs, theirs
	run.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, run.cmd.Start())
	must(t, theirs.Close())
	go func() {
		defer close(run.done)
		chunk := make([]byte, 4096)
		for {
			n, err := ours.Read(chunk)
			asks := run.add(string(chunk[:n]))
			if asks && answers != "" {
				_, _ = ours.WriteString(answers)
				answers = ""
			}
			if err != nil {
				_ = run.cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() { _ = run.cmd.Process.Kill(); <-run.done; _ = ours.Close() })
	return run
}

// add takes output, and says whether it ends with a question.
func (r *typed) add(output string) (asks bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.output += output
	return strings.HasSuffix(r.output, "[y/N] ")
}

func (r *typed) screen() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return terminal.Screen(r.output)
}

func (r *typed) end() error {
	return check.Poll(func() error {
		select {
		case <-r.done:
			return nil
		default:
			return errors.New("it goes on, and shows\n" + strings.Join(r.screen(), "\n"))
		}
	})
}
