package docs_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/docs"
)

// unprompted are the commands that stand in a document without a prompt, since it shows no output of them; and what runs them.
var unprompted = map[string]string{
	"./dev up":                "TestReadme, with its prompt further below",
	"./dev up --real-cluster": "it is cmd/up, which needs minutes and a terminal: nothing",
	"./dev test":              "it is what runs this",

	"./dev image": "e2e/node, whose image it makes",
	"kubectl apply -f bin/image/install.yaml":                                                             "e2e/node",
	"kubectl wait --for=create apiservice/v1alpha1.views.operators.coreos.com --timeout=2m":               "e2e/node",
	"kubectl wait apiservice v1alpha1.views.operators.coreos.com --for=condition=Available --timeout=60s": "e2e/node",
	"kubectl get installedoperators -A":                                                                   "e2e/node",

	"ln -s /usr/local/bin/steward /usr/local/bin/kubectl-steward": "newWalk, which links it in a folder of its own",

	"kubectl proxy --port=8001 &": "TestThroughAProxy",
	"kubectl config --kubeconfig=proxy.yaml set-cluster proxy --server=http://127.0.0.1:8001": "TestThroughAProxy",
	"kubectl config --kubeconfig=proxy.yaml set-context proxy --cluster=proxy":                "TestThroughAProxy",
	"kubectl steward --kubeconfig=proxy.yaml --context=proxy status -A":                       "TestThroughAProxy",
}

var isCommand = regexp.MustCompile(`^(\./dev|kubectl|steward|ln|export|docker|make|go|bazel|curl|git) `)

// withoutPrompt are the commands of the fenced blocks that show no prompt.
func withoutPrompt(t *testing.T, name string) (commands []string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	for i, block := range strings.Split("\n"+string(text), "\n```") {
		if i%2 == 0 || strings.Contains(block, "\n$ ") || strings.Contains(block, "\n# in ") {
			continue
		}
		for _, line := range strings.Split(block, "\n") {
			command, _, _ := strings.Cut(line, "   #")
			if command = strings.TrimSpace(command); isCommand.MatchString(command) {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// No command of a document is run by nobody without anyone's knowing why.
func TestEveryCommandIsRun(t *testing.T) {
	var all []string
	for _, name := range []string{"README.md", "docs/kubectl-steward.md"} {
		all = append(all, withoutPrompt(t, name)...)
	}
	left := map[string]bool{}
	for command := range unprompted {
		left[command] = true
	}
	for _, command := range all {
		if unprompted[command] == "" {
			t.Errorf("nothing runs %q", command)
		}
		delete(left, command)
	}
	for command := range left {
		t.Errorf("no document has %q any more", command)
	}
}

// Where a kubeconfig has what is not supported, kubectl's proxy is the way.
func TestThroughAProxy(t *testing.T) {
	var commands []string
	for _, command := range withoutPrompt(t, "docs/kubectl-steward.md") {
		if strings.Contains(command, "proxy") {
			commands = append(commands, command)
		}
	}
	if len(commands) != 4 {
		t.Fatalf("the document's commands are %q", commands)
	}
	w := newWalk(t, "docs/kubectl-steward.md")
	port := w.proxy(t, strings.TrimSuffix(commands[0], " &"))
	for i, command := range commands {
		commands[i] = strings.ReplaceAll(command, "8001", port)
	}
	for _, command := range commands[1:3] {
		must(t, w.start(t, docs.Step{Command: command}).end())
	}
	run := w.start(t, docs.Step{Command: commands[3]})
	must(t, run.end())
	screen := strings.Join(run.screen(), "\n")
	if run.cmd.ProcessState.ExitCode() != 0 || !strings.Contains(screen, "tidepool-postgres") {
		t.Errorf("%s", screen)
	}
}

// proxy runs the document's proxy until the test's end, on a port of its own choice in place of the document's, and returns
// that once it listens.
func (w *walk) proxy(t *testing.T, command string) string {
	t.Helper()
	proxy := exec.Command("/bin/bash", "-c", "exec "+strings.ReplaceAll(command, "--port=8001", "--port=0"))
	proxy.Dir, proxy.Env = w.folder, w.environment
	said, err := proxy.StdoutPipe()
	must(t, err)
	must(t, proxy.Start())
	t.Cleanup(func() { _ = proxy.Process.Kill(); _ = proxy.Wait() })
	line, err := bufio.NewReader(said).ReadString('\n')
	must(t, err)
	_, port, found := strings.Cut(strings.TrimSpace(line), "127.0.0.1:")
	if !found {
		t.Fatalf("kubectl's proxy said %q", line)
	}
	return port
}
