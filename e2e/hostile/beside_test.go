package hostile

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
)

const (
	listPath  = "/apis/views.operators.coreos.com/v1alpha1/installedoperators"
	watchPath = listPath + "?watch=true&allowWatchBookmarks=true"

	// attackTime is how long an attack goes on, if it does not end by itself.
	attackTime = 20 * time.Second
	// memoryLimit is the container's in deploy/base/deployment.yaml.
	memoryLimit = 1 << 30
)

var (
	must       = check.Must
	eventually = check.Eventually
)

// beside runs an attack, until it ends or its context does, while a user lists and watches and the kubelet probes.
func beside(t *testing.T, attack assault) {
	t.Helper()
	user := newMaster(t)
	quiet := user.lists(t, 200)
	before := usage(t)

	ctx, stop := context.WithTimeout(t.Context(), attackTime)
	defer stop()
	var work sync.WaitGroup
	watch := user.watch(t)
	var failures failures
	var during []time.Duration
	work.Go(func() { probe(ctx, 0, &failures) })
	work.Go(func() { during = user.meanwhile(ctx, "a list", &failures) })
	var peak int
	work.Go(func() { peak = peakOf(ctx, t) })
	attack(ctx)
	<-ctx.Done()
	work.Wait()

	for _, failure := range failures.all {
		t.Error(failure)
	}
	if err := watch.cut(); err != nil {
		t.Errorf("the user's watch: %v", err)
	}
	if peak > memoryLimit {
		t.Errorf("%d MiB resident, of %d", peak>>20, memoryLimit>>20)
	}
	t.Logf("list p99 %s quiet, %s beside the attack (%.1f ×, of %d); at most %d MiB resident, %d before",
		p99(quiet), p99(during), float64(p99(during))/float64(p99(quiet)), len(during), peak>>20, before.rss>>20)
	returned(t, before, resources{keptMemory, keptConnections})
}

const (
	// keptConnections are open to the kube-apiserver, for reviews: as many as a pool has are kept a while for the next ones.
	keptConnections = 64
	// keptMemory is what the allocator keeps of what was freed, for the next time.
	keptMemory = 128 << 20
)

// returned waits until nothing of an attack is left but what the server keeps, and a tenth of what it had.
func returned(t *testing.T, before, kept resources) {
	t.Helper()
	var after resources
	eventually(t, func() error {
		after = usage(t)
		if after.descriptors > before.descriptors*11/10+kept.descriptors {
			return fmt.Errorf("%d descriptors stay open, %d were before", after.descriptors, before.descriptors)
		}
		return nil
	})
	if after.rss > before.rss*11/10+kept.rss {
		t.Errorf("%d MiB stay resident, %d were before", after.rss>>20, before.rss>>20)
	}
	t.Logf("afterwards %d descriptors, %d before; %d MiB resident, %d before",
		after.descriptors, before.descriptors, after.rss>>20, before.rss>>20)
}

// peakOf is the most that the server holds of memory until the context ends.
func peakOf(ctx context.Context, t *testing.T) (peak int) {
	for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		peak = max(peak, usage(t).rss)
	}
	return peak
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

// probe asks as the kubelet does: with a connection for each probe and without credentials. So many in a row may fail.
func probe(ctx context.Context, borne int, failures *failures) {
	failed := map[string]int{}
	for ctx.Err() == nil {
		for _, path := range []string{"/livez", "/readyz"} {
			transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
			client := &http.Client{Transport: transport, Timeout: check.Patience}
			_, err := get(client, steward.URL()+path)
			if err == nil {
				failed[path] = 0
			} else if failed[path]++; failed[path] > borne {
				failures.add("a probe of "+path, err)
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// user is known by a client certificate and speaks HTTP/2, as most do.
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

// newMaster may do everything, and nobody is asked about that.
func newMaster(t *testing.T) *user {
	t.Helper()
	config, err := steward.WithUser("quiet", "system:masters")
	must(t, err)
	return newUser(t, config)
}

func (u *user) list() (time.Duration, error) {
	began := time.Now()
	_, err := get(u.client, u.config.Host+listPath)
	return time.Since(began), err
}

func (u *user) lists(t *testing.T, count int) []time.Duration {
	t.Helper()
	var all []time.Duration
	for range count {
		took, err := u.list()
		must(t, err)
		all = append(all, took)
	}
	return all
}

// following is a watch, which nobody may cut.
type following struct {
	stop  context.CancelFunc
	ended chan error
}

func (u *user) watch(t *testing.T) *following {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.config.Host+watchPath, nil)
	must(t, err)
	response, err := u.client.Do(request)
	must(t, err)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("a watch: %s", response.Status)
	}
	f := &following{stop, make(chan error, 1)}
	go func() {
		defer response.Body.Close()
		_, err := io.Copy(io.Discard, response.Body)
		if err == nil {
			err = errors.New("ended by the server")
		}
		f.ended <- err
	}()
	return f
}

// cut says how the watch ended, if it did, and ends it.
func (f *following) cut() error {
	defer f.stop()
	select {
	case err := <-f.ended:
		return err
	default:
		return nil
	}
}

func get(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", response.Status, body)
	}
	return string(body), err
}

type resources struct {
	rss         int
	descriptors int
}

func usage(t *testing.T) resources {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", steward.Pid())
	status, err := os.ReadFile(proc + "status")
	must(t, err)
	var r resources
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
			must(t, err)
			r.rss = kilobytes << 10
		}
	}
	open, err := os.ReadDir(proc + "fd")
	must(t, err)
	r.descriptors = len(open)
	return r
}

func p99(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)*99/100]
}
