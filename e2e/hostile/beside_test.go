package hostile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/apart"
	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

const (
	groupPath     = "/apis/views.operators.coreos.com/v1alpha1"
	listPath      = groupPath + "/installedoperators"
	namespacePath = groupPath + "/namespaces/default/installedoperators"
	watchPath     = listPath + "?watch=true&allowWatchBookmarks=true"

	// attackTime is how long an attack goes on, if it does not end by itself.
	attackTime = 20 * time.Second
)

var (
	must       = check.Must
	eventually = check.Eventually
)

// beside runs an attack, until it ends or its context does, while users list and watch and the kubelet probes.
func beside(t *testing.T, attack assault) {
	t.Helper()
	others := newBystanders(t)
	before := usage(t)
	others.endure(t, attackTime, attack)
	returned(t, before, resources{keptMemory, keptConnections})
}

// bystanders are whom no attack may harm: none of their requests fails, and none of their watches ends.
type bystanders struct {
	clients map[string]apart.Client
	quiet   figures
	watches map[string]*following
}

// figures are how long the requests of each client took.
type figures map[string][]time.Duration

// The clients. Those of the static server suffer from the machine as the others do, and from nobody's attack.
const (
	lists        = "a namespace's list"
	staticLists  = "the same bytes as a static file"
	probes       = "a probe"
	staticProbes = "a static file over a new connection"
)

func newBystanders(t *testing.T) *bystanders {
	t.Helper()
	modest := newTenant(t, "modest")
	content, err := get(modest.client, modest.config.Host+namespacePath)
	must(t, err)
	// The kubelet has no credentials, and a connection for each probe.
	kubelet := apart.Client{Host: steward.URL(), TLS: rest.TLSClientConfig{Insecure: true}, Paths: []string{"/livez", "/readyz"},
		Anew: true, Pause: 50 * time.Millisecond, Patience: check.Patience}
	files := serve(t, content)
	probed := files
	probed.Anew, probed.Pause = kubelet.Anew, kubelet.Pause
	b := &bystanders{
		clients: map[string]apart.Client{lists: clientOf(modest, namespacePath), staticLists: files, probes: kubelet, staticProbes: probed},
		watches: map[string]*following{
			"a watch":                       newTenant(t, "watcher").watch(t),
			"a watch behind the aggregator": newUserBehind(t, "watcher").watch(t),
		},
	}
	quietly := &failures{}
	b.quiet = b.ask(t.Context(), 50, quietly)
	quietly.report(t)
	return b
}

// ask lets each client ask so many times, or (0) until the context ends.
func (b *bystanders) ask(ctx context.Context, count int, failures *failures) figures {
	var mutex sync.Mutex
	var work sync.WaitGroup
	all := figures{}
	for what, c := range b.clients {
		c.Count = count
		work.Go(func() {
			took := meanwhile(ctx, c, what, failures)
			mutex.Lock()
			defer mutex.Unlock()
			all[what] = took
		})
	}
	work.Wait()
	return all
}

// clientOf asks with a user's credentials.
func clientOf(u *user, paths ...string) apart.Client {
	return apart.Client{Host: u.config.Host, Token: u.config.BearerToken, TLS: u.config.TLSClientConfig, Paths: paths,
		Pause: 10 * time.Millisecond, Patience: check.Patience}
}

// meanwhile is Meanwhile with failures that are named.
func meanwhile(ctx context.Context, c apart.Client, what string, failures *failures) []time.Duration {
	return c.Meanwhile(ctx, func(err error) { failures.add(what, err) })
}

// serve is a static server, apart, until the test ends.
func serve(t *testing.T, content string) apart.Client {
	t.Helper()
	client, _, stop, err := apart.Serve(context.Background(), t.TempDir(), content)
	must(t, err)
	t.Cleanup(func() { _ = stop() })
	client.Patience = check.Patience
	return client
}

// endure says how the bystanders fare during an attack of some length, in whose midst something changes.
func (b *bystanders) endure(t *testing.T, length time.Duration, attack assault) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	forgetPeak(t)
	var failures failures
	var during figures
	var work sync.WaitGroup
	work.Go(func() { during = b.ask(ctx, 0, &failures) })
	mark := "mark-" + rand.String(8)
	work.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(length / 2):
		}
		failures.add("a change", label(context.WithoutCancel(ctx), mark))
	})
	attack(ctx)
	<-ctx.Done()
	work.Wait()

	failures.report(t)
	for what, watch := range b.watches {
		eventually(t, func() error {
			if watch.hasEnded() || watch.saw(mark) {
				return nil
			}
			return errors.New(what + " has not told of the change")
		})
		if watch.hasEnded() {
			t.Errorf("%s: %v", what, watch.err)
		}
	}
	if peak := memory(t, "VmHWM"); peak > memoryLimit {
		t.Errorf("%d MiB were resident, of %d", peak>>20, memoryLimit>>20)
	} else {
		t.Logf("at most %.1f MiB resident", mebibytes(peak))
	}
	for _, what := range []string{lists, staticLists, probes, staticProbes} {
		t.Logf("%s: p99 %s quiet, %s during the attack (%.1f ×, of %d), at most %s", what, p99(b.quiet[what]), p99(during[what]),
			float64(p99(during[what]))/float64(p99(b.quiet[what])), len(during[what]), slices.Max(append(during[what], 0)))
	}
}

// changing is the operator, seen in every namespace, whose label changes beside each attack.
const changingNamespace, changing = "platform-operators", "quarry-backup.v0.9.4"

func label(ctx context.Context, mark string) error {
	_, err := shared.Any.Resource(olm.CSVs).Namespace(changingNamespace).Patch(ctx, changing, types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"labels":{"mark":%q}}}`, mark), metav1.PatchOptions{})
	return err
}

// failures of the well-behaved, from all goroutines.
type failures struct {
	mutex sync.Mutex
	all   []string
}

func (f *failures) add(what string, err error) {
	if err == nil {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.all) < 10 {
		f.all = append(f.all, fmt.Sprintf("%s: %v", what, err))
	}
}

func (f *failures) report(t *testing.T) {
	t.Helper()
	for _, failure := range f.all {
		t.Error(failure)
	}
}

// user speaks HTTP/2, as most do.
type user struct {
	client *http.Client
	config *rest.Config
}

func newUser(t *testing.T, config *rest.Config) *user {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return &user{client, config}
}

func (u *user) list() (time.Duration, error) {
	began := time.Now()
	_, err := get(u.client, u.config.Host+listPath)
	return time.Since(began), err
}

// following is a watch, until the test ends.
type following struct {
	ended chan struct{}
	err   error // read when it has ended

	mutex sync.Mutex
	marks map[string]bool
}

var marked = regexp.MustCompile(`"mark":"([^"]*)"`)

func (u *user) watch(t *testing.T) *following {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.config.Host+watchPath, nil)
	must(t, err)
	response, err := u.client.Do(request)
	must(t, err)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("a watch: %s", response.Status)
	}
	f := &following{ended: make(chan struct{}), marks: map[string]bool{}}
	go func() {
		defer close(f.ended)
		defer response.Body.Close()
		f.err = f.read(response.Body)
	}()
	return f
}

func (f *following) read(body io.Reader) error {
	events := bufio.NewReader(body)
	for {
		event, err := events.ReadString('\n')
		if found := marked.FindStringSubmatch(event); found != nil {
			f.mutex.Lock()
			f.marks[found[1]] = true
			f.mutex.Unlock()
		}
		if strings.HasPrefix(event, `{"type":"ERROR"`) {
			return errors.New(event)
		}
		if errors.Is(err, io.EOF) {
			return errors.New("ended by the server")
		}
		if err != nil {
			return err
		}
	}
}

func (f *following) saw(mark string) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.marks[mark]
}

func (f *following) hasEnded() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

var get = apart.Get

func p99(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)*99/100]
}
