package operators_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/olm"
)

var (
	secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	olmConfigs = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1", Resource: "olmconfigs"}
)

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

// killing kills the operators' process with -9 and starts it again, over and over, until the function is called: then one runs.
func killing(t *testing.T) (ends func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			operating.Kill()
			if err := startOperating(context.Background()); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-ctx.Done():
			// The Lease takes six seconds to end: a process works for a while before it is killed.
			case <-time.After(9 * time.Second):
			}
		}
	})
	ends = sync.OnceFunc(func() { end(); done.Wait() })
	t.Cleanup(ends)
	return ends
}

// Access is polled through upgrades, the toggle and an uninstallation, while the process is killed again and again: there is no gap, and
// it ends within a minute.
func TestCopiedRBAC_AccessThroughKills(t *testing.T) {
	s := newScene(t, 2)
	s.subscribe("reed", "reed.v1")
	s.install("reed.v1", secretsRules("get"))
	for _, target := range s.targets {
		eventually(t, s.copied(target))
	}
	stays, goes := poll(t, s, s.targets[0]), poll(t, s, s.targets[1])
	stays.letIn(t)
	goes.letIn(t)
	ends := killing(t)
	for next := 2; next < 4; next++ {
		former := *s
		s.upgrade(fmt.Sprintf("reed.v%d", next), secretsRules("get"), func() {
			for _, target := range s.targets {
				eventually(t, s.given(target))
			}
		})
		for _, target := range s.targets {
			eventually(t, gone(roles, target, former.roleName()))
			eventually(t, gone(roleBindings, target, former.roleName()))
		}
	}
	config := object("operators.coreos.com/v1", "OLMConfig", "", "cluster")
	for _, off := range []bool{true, false} {
		config.Object["spec"] = map[string]any{"features": map[string]any{"disableCopiedCSVs": off}}
		if off {
			s.grant(olmConfigs, config)
			continue
		}
		must(t, olm.Mutate(t.Context(), shared.Any, olmConfigs, "", "cluster", func(stored *olm.Object) {
			stored.Object["spec"] = config.Object["spec"]
		}))
	}
	stays.noGap(t)
	goes.noGap(t)
	ended := time.Now()
	s.retarget(s.targets[0])
	goes.shutOut(t, ended)
	stays.noGap(t)
	ended = time.Now()
	s.uninstall()
	stays.shutOut(t, ended)
	ends()
	for _, target := range s.targets {
		eventually(t, gone(roles, target, s.roleName()))
		eventually(t, gone(roleBindings, target, s.roleName()))
	}
}

// An operator's copies are held for those of another one that cannot be made, and the process that holds them is killed: access ends
// within a minute all the same.
func TestCopiedRBAC_TheWaitOutlivesItsProcess(t *testing.T) {
	s := newScene(t, 1)
	s.subscribe("reed", "reed.v1")
	forget(t, "reed."+s.home)
	s.install("reed.v1", secretsRules("get"))
	target := s.targets[0]
	eventually(t, s.copied(target))
	p := poll(t, s, target)
	p.letIn(t)
	// Nobody can make a Role of this name there, and so no copy of the next version comes.
	refuse(t, target, "reed.v2-abc")
	former := *s
	s.upgrade("reed.v2", secretsRules("get"), func() {})
	ended := time.Now()
	eventually(t, func() error {
		there, err := lookUp(roles, target, former.roleName())
		if err == nil && there.GetAnnotations()["steward.operatorframework.io/unwanted-since"] == "" {
			err = errors.New("it is not noted since when it waits")
		}
		return err
	})
	time.Sleep(20 * time.Second)
	p.noGap(t)
	operating.Kill()
	must(t, startOperating(t.Context()))
	p.shutOut(t, ended)
}

// refuse lets nobody make a Role of this name.
func refuse(t *testing.T, namespace, name string) {
	t.Helper()
	policy := object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "", "refuse-"+namespace)
	policy.Object["spec"] = map[string]any{
		"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
			"apiGroups": []any{roles.Group}, "apiVersions": []any{"*"}, "resources": []any{"roles"}, "operations": []any{"CREATE"},
		}}},
		"validations": []any{map[string]any{"expression": fmt.Sprintf("request.namespace != %q || object.metadata.name != %q", namespace, name)}},
	}
	binding := object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "", "refuse-"+namespace)
	binding.Object["spec"] = map[string]any{"policyName": policy.GetName(), "validationActions": []any{"Deny"}}
	group := schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}
	for resource, each := range map[string]*olm.Object{"validatingadmissionpolicies": policy, "validatingadmissionpolicybindings": binding} {
		made := group.WithResource(resource)
		must(t, olm.CreateAs(t.Context(), shared.Any, made, each))
		t.Cleanup(func() {
			_ = shared.Any.Resource(made).Delete(context.Background(), each.GetName(), metav1.DeleteOptions{})
		})
	}
	eventually(t, func() error {
		_, err := shared.Any.Resource(roles).Namespace(namespace).Create(t.Context(), roleOf(namespace, name, []any{}), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errors.New("the policy does not hold yet")
		}
		return nil
	})
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
