package cases

import (
	"crypto/tls"
	"encoding/xml"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
)

// ignored: RFC 9113 section 5.1 leaves it to the server what it makes of frames on a closed stream; h2spec goes by
// RFC 7540.
const ignored = "DATA on a closed stream is ignored (and its flow control kept), as RFC 9113 section 5.1 allows"

// exceptions are h2spec's cases that Steward does not pass, with the reason.
var exceptions = map[string]string{
	"http2/5.1: closed: Sends a DATA frame":                                ignored,
	"http2/5.1: closed: Sends a DATA frame after sending RST_STREAM frame": ignored,
}

// eitherWay are cases that end as the schedule has it: the frame meets a stream that its response has closed already, where it
// is ignored, or one that is half closed, where it is an error.
var eitherWay = map[string]bool{
	"http2/5.1: half closed (remote): Sends a DATA frame":                                              true,
	`http2/6.1: Sends a DATA frame on the stream that is not in "open" or "half-closed (local)" state`: true,
}

// RFC 9113 and RFC 7541, as h2spec reads them.
func TestH2spec(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	// h2spec shows no client certificate, and connections of strangers end after an answer.
	host, port, err := net.SplitHostPort(tlsTo(t, masters(t, steward)))
	must(t, err)
	report := filepath.Join(t.TempDir(), "report.xml")
	command := exec.CommandContext(t.Context(), "go", "tool", "h2spec", "--host="+host, "--port="+port, "--path=/version",
		"--timeout=10", "--junit-report="+report)
	command.Dir = filepath.Join(root, "e2e", "h2spec")
	out, runErr := command.CombinedOutput() // fails when a case does
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v: %v\n%s", runErr, err, out)
	}
	var suites struct {
		Suites []struct {
			Cases []struct {
				Package   string    `xml:"package,attr"`
				ClassName string    `xml:"classname,attr"`
				Failure   *struct{} `xml:"failure"`
				Error     *struct{} `xml:"error"`
				Skipped   *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	// It writes bytes of frames as they are.
	must(t, xml.Unmarshal(regexp.MustCompile(`[\x00-\x08\x0b\x0c\x0e-\x1f]`).ReplaceAll(text, nil), &suites))
	passed := 0
	met := map[string]bool{}
	for _, suite := range suites.Suites {
		for _, each := range suite.Cases {
			name := each.Package + ": " + each.ClassName
			switch {
			case each.Failure == nil && each.Error == nil && each.Skipped == nil:
				passed++
			case exceptions[name] != "":
				met[name] = true
			case eitherWay[name]:
				t.Logf("the response was faster: %s", name)
			default:
				t.Errorf("%s\n%s", name, excerpt(string(out), each.ClassName))
			}
		}
	}
	for name := range exceptions {
		if !met[name] {
			t.Errorf("an exception that is none (any more): %s", name)
		}
	}
	t.Logf("%d cases passed, %d exceptions", passed, len(met))
	if passed < 140 {
		t.Errorf("only %d cases ran", passed)
	}
	if got := call(t, steward.Anonymous(), "GET", "/livez"); got.Code != 200 {
		t.Errorf("afterwards: %d", got.Code)
	}
}

// excerpt is what h2spec prints of a case that failed.
func excerpt(out, description string) string {
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		if strings.Contains(line, "×") && strings.Contains(line, description) {
			return strings.Join(lines[i:min(len(lines), i+6)], "\n")
		}
	}
	return ""
}

// tlsTo listens on loopback and carries each connection's bytes, as they are, in a TLS connection with the certificates
// of config and HTTP/2.
func tlsTo(t *testing.T, config *rest.Config) string {
	t.Helper()
	tlsConfig, err := rest.TLSConfigFor(config)
	must(t, err)
	tlsConfig.NextProtos = []string{"h2"}
	address, err := url.Parse(config.Host)
	must(t, err)
	return relay(t, func() (net.Conn, error) { return tls.Dial("tcp", address.Host, tlsConfig) })
}

// relay listens on loopback until the test ends, and carries bytes between each connection and one that dial makes.
func relay(t *testing.T, dial func() (net.Conn, error)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var running sync.WaitGroup
	var mutex sync.Mutex
	open := map[net.Conn]bool{}
	closed := false
	t.Cleanup(func() {
		listener.Close()
		mutex.Lock()
		closed = true
		for conn := range open {
			conn.Close()
		}
		mutex.Unlock()
		running.Wait()
	})
	carry := func(from net.Conn) {
		defer from.Close()
		to, err := dial()
		if err != nil {
			return
		}
		defer to.Close()
		mutex.Lock()
		if closed {
			mutex.Unlock()
			return
		}
		open[from], open[to] = true, true
		mutex.Unlock()
		running.Go(func() {
			_, _ = io.Copy(to, from)
			to.Close()
		})
		_, _ = io.Copy(from, to)
		mutex.Lock()
		delete(open, from)
		delete(open, to)
		mutex.Unlock()
	}
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { carry(conn) })
		}
	})
	return listener.Addr().String()
}
