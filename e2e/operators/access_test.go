package operators_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// poller asks, again and again, by real requests, whether somebody may read objects of a namespace.
type poller struct {
	namespace string
	end       context.CancelFunc
	done      sync.WaitGroup
	mutex     sync.Mutex
	// denied are the times of denials; allowed is the time of the last answer that let it in.
	denied  []time.Time
	allowed time.Time
	failure error
}

// poll asks whether the operator's account may read Secrets.
func poll(t *testing.T, s *scene, namespace string) *poller {
	t.Helper()
	client, err := as("system:serviceaccount:" + s.home + ":reed")
	must(t, err)
	return pollAs(t, client, secrets, namespace)
}

func pollAs(t *testing.T, client dynamic.Interface, resource schema.GroupVersionResource, namespace string) *poller {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	p := &poller{namespace: namespace, end: end}
	p.done.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
			_, err := client.Resource(resource).Namespace(namespace).Get(ctx, "any", metav1.GetOptions{})
			p.note(ctx, err)
		}
	})
	t.Cleanup(func() { p.stop() })
	return p
}

func (p *poller) note(ctx context.Context, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch {
	case ctx.Err() != nil:
	case err == nil || apierrors.IsNotFound(err):
		p.allowed = time.Now()
	case apierrors.IsForbidden(err):
		p.denied = append(p.denied, time.Now())
	default:
		p.failure = err
	}
}

func (p *poller) stop() {
	p.end()
	p.done.Wait()
}

// letIn waits until the account is let in, and forgets the denials before.
func (p *poller) letIn(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if time.Since(p.allowed) > time.Second {
			return fmt.Errorf("%s: not let in", p.namespace)
		}
		p.denied = nil
		return nil
	})
}

// noGap fails if the account was denied since letIn.
func (p *poller) noGap(t *testing.T) {
	t.Helper()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.denied) > 0 {
		t.Errorf("%s: %d denials, the first at %s", p.namespace, len(p.denied), p.denied[0].Format("15:04:05.000"))
	}
	if p.failure != nil {
		t.Errorf("%s: %v", p.namespace, p.failure)
	}
}

// shutOut waits until the account is let in no more, which must be within a minute after its reason ended.
func (p *poller) shutOut(t *testing.T, ended time.Time) {
	t.Helper()
	eventually(t, func() error {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if len(p.denied) == 0 || p.denied[len(p.denied)-1].Before(p.allowed) {
			return fmt.Errorf("%s: still let in", p.namespace)
		}
		return nil
	})
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if took := p.allowed.Sub(ended); took > time.Minute {
		t.Errorf("%s: let in for %v after its reason had ended", p.namespace, took)
	}
}
