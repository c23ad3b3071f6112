package hostile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/util/rand"
)

func init() { attacks["requests of which the log says much"] = longLines }

// aToken is good for nobody: of each request that shows it, the log says so.
const aToken = "no-token"

func longPath() string {
	return "/" + rand.String(10) + url.PathEscape("\nE0101 00:00:00.000000 1 forged.cc:1] a line\n") + strings.Repeat("x", 40_000)
}

// A stranger's request is in the log in one line, and not more than a little of it.
func TestLongLines(t *testing.T) {
	const most = 8 << 10
	path := longPath()
	begin := path[1:11]
	eventually(t, func() error {
		ask(t.Context(), strangers(t), steward.URL()+path, aToken)
		log, err := os.Open(steward.Log)
		must(t, err)
		defer log.Close()
		found := false
		lines := bufio.NewReader(log)
		for {
			line, err := lines.ReadString('\n')
			found = found || strings.Contains(line, begin)
			if len(line) > most {
				t.Fatalf("a line of %d bytes: %.200s", len(line), line)
			}
			if strings.Contains(line, "forged.cc") && !strings.Contains(line, begin) {
				t.Fatalf("a client has written a line: %s", line)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
		}
		if !found {
			return errors.New("the log does not say that somebody was refused")
		}
		return nil
	})
	beside(t, longLines(t))
}

// longLines are refused with a line of the log each.
func longLines(t *testing.T) assault {
	client := strangers(t)
	path := longPath()
	return func(ctx context.Context) {
		flood(ctx, 50, func(int) { ask(ctx, client, steward.URL()+path, aToken) })
	}
}

var linesLost = regexp.MustCompile(`(?m)^steward_log_lines_lost_total (\d+)`)

// Where nobody reads the log, its lines are lost, and counted, and no request waits for them.
func TestLogThatNobodyReads(t *testing.T) {
	silent, err := shared.NewSteward("unread")
	must(t, err)
	silent.Kubeconfig = steward.Kubeconfig
	name := filepath.Join(shared.Dir, "unread.log")
	must(t, syscall.Mkfifo(name, 0o600))
	// For both, so that neither side waits for the other one.
	log, err := os.OpenFile(name, os.O_RDWR, 0)
	must(t, err)
	must(t, silent.Start())
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, log) }()
		if err := silent.Stop(); err != nil {
			t.Error(err)
		}
		log.Close()
		_ = os.Remove(name)
	})
	must(t, silent.WaitReady(t.Context()))
	config, err := silent.WithUser("reader", "system:masters")
	must(t, err)
	reader, client := newUser(t, config), strangers(t)
	path := longPath()
	asked := 0
	eventually(t, func() error {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		flood(ctx, 20, func(n int) {
			if code := ask(ctx, client, silent.URL()+path, aToken); code == http.StatusOK {
				t.Errorf("answered with %d", code)
			}
			if n >= 400 {
				stop()
			}
		})
		asked += 400
		metrics, err := get(reader.client, silent.URL()+"/metrics")
		must(t, err)
		found := linesLost.FindStringSubmatch(metrics)
		if found == nil {
			t.Fatal("lines that are lost are not counted")
		}
		if lost, err := strconv.Atoi(found[1]); err != nil || lost == 0 {
			return errors.New("no line is lost")
		}
		return nil
	})
	t.Logf("lines were lost after about %d requests", asked)
	for _, path := range []string{"/livez", "/readyz"} {
		_, err := get(client, silent.URL()+path)
		must(t, err)
	}
}
