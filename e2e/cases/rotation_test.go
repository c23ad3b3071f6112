package cases

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Certificates of both sides of the aggregator are replaced while it runs, and Steward is told to stop behind it: nobody who
// asks through it is turned away. One cluster of its own; the steps stand on each other.
func TestRotation(t *testing.T) {
	// Verbose, to see when the kube-apiserver takes up a certificate.
	c, err := cluster.Start(t.Context(), cluster.Options{APIServerFlags: []string{"--v=2"}})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 30)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, loadCRDs(t.Context(), c))
	// From SIGTERM until it stops to listen: long enough for requests of a slow machine.
	s, err := c.RunSteward(t.Context(), "steward", "--shutdown-delay-duration=20s")
	must(t, err)
	must(t, c.WaitServed(t.Context()))
	r := &rotation{cluster: c, steward: s}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"ServingCertificate", r.servingCertificate},
		{"FrontProxyCertificate", r.frontProxyCertificate},
		{"StopsInOrder", r.stopsInOrder},
	} {
		if !t.Run(step.name, step.run) {
			return
		}
	}
}

type rotation struct {
	cluster *cluster.Cluster
	steward *cluster.Steward
}

// asking lists through the aggregator, again and again, until it is told to stop. Every answer has to be a list.
func (r *rotation) asking(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	asked := 0
	done.Go(func() {
		for ctx.Err() == nil {
			_, err := r.cluster.Any.Resource(olm.InstalledOperators).List(ctx, metav1.ListOptions{Limit: 1})
			if err != nil && ctx.Err() == nil {
				t.Errorf("after %d lists: %v", asked, err)
				return
			}
			asked++
		}
	})
	return func() {
		cancel()
		done.Wait()
		t.Logf("%d lists meanwhile", asked)
	}
}

// servingCertificate: connections that come later see the new one, without a restart.
func (r *rotation) servingCertificate(t *testing.T) {
	serial := func() (string, error) {
		address := strings.TrimPrefix(r.steward.URL(), "https://")
		connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return "", err
		}
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].SerialNumber.String(), nil
	}
	before, err := serial()
	must(t, err)
	stop := r.asking(t)
	defer stop()
	must(t, r.steward.RotateServing())
	eventually(t, func() error {
		now, err := serial()
		if err == nil && now == before {
			err = fmt.Errorf("still the certificate with serial number %s", now)
		}
		return err
	})
	must(t, r.cluster.WaitAvailable(t.Context()))
}

// frontProxyCertificate: the kube-apiserver tells what it will show from now on in a ConfigMap, which Steward follows.
func (r *rotation) frontProxyCertificate(t *testing.T) {
	// Whether a front proxy with a certificate of an authority is believed.
	believed := func(ca *cluster.Authority) (bool, error) {
		headers := http.Header{"X-Remote-User": {"admin"}, "X-Remote-Group": {"system:masters"}}
		config, err := r.steward.WithCertificate(ca, "front-proxy-client", headers)
		if err != nil {
			return false, err
		}
		got, err := tryCall(t.Context(), config, "GET", listPath, nil)
		return got.Code == http.StatusOK, err
	}
	stop := r.asking(t)
	defer stop()
	rotation, err := r.cluster.RotateFrontProxy()
	must(t, err)
	for _, authority := range []*cluster.Authority{r.cluster.FrontProxyAuthority(), rotation.Old()} {
		eventually(t, func() error {
			is, err := believed(authority)
			if err == nil && !is {
				err = fmt.Errorf("its certificates are not believed yet")
			}
			return err
		})
	}
	loaded := r.proxyCertificatesLoaded(t)
	must(t, rotation.ShowNew())
	eventually(t, func() error {
		if r.proxyCertificatesLoaded(t) == loaded {
			return fmt.Errorf("the kube-apiserver has not taken up its new certificate")
		}
		return nil
	})
	// The aggregator goes on with it. (What was trusted once stays in the ConfigMap until somebody edits that: the
	// kube-apiserver adds to it only.)
	must(t, r.cluster.WaitAvailable(t.Context()))
	for range 20 {
		_, err := r.cluster.Any.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{Limit: 1})
		must(t, err)
	}
}

// proxyCertificatesLoaded counts how often the kube-apiserver has taken up what it shows to servers behind it.
func (r *rotation) proxyCertificatesLoaded(t *testing.T) (count int) {
	t.Helper()
	text, err := os.ReadFile(r.cluster.APIServer().Log)
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "Loaded a new cert/key pair") && strings.Contains(line, "aggregator-proxy-cert") {
			count++
		}
	}
	return count
}

// stopsInOrder: after SIGTERM it is not ready, and answers all the same until the delay is over. A watch through the
// aggregator ends by itself, without an error, before the process does.
func (r *rotation) stopsInOrder(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watching, err := r.cluster.Any.Resource(olm.InstalledOperators).Watch(ctx, metav1.ListOptions{})
	must(t, err)
	defer watching.Stop()
	ended := make(chan error, 1)
	go func() {
		for event := range watching.ResultChan() {
			if event.Type == watch.Error {
				ended <- fmt.Errorf("%+v", event.Object)
				return
			}
		}
		ended <- nil
	}()
	stopped := make(chan error, 1)
	go func() { stopped <- r.steward.Stop() }()
	eventually(t, func() error {
		got, err := tryCall(t.Context(), r.steward.Anonymous(), "GET", "/readyz", nil)
		if err == nil && got.Code == http.StatusOK {
			err = fmt.Errorf("still ready")
		}
		return err
	})
	// Whoever the aggregator sends here now, as it has not noticed yet, is answered.
	if _, err := r.cluster.Any.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{Limit: 1}); err != nil {
		t.Errorf("while it stops: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the watch: %v", err)
	}
	must(t, <-stopped)
	if code := r.steward.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
