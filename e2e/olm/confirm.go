package olm

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const (
	// OptInPolicy of deploy/base says who may opt operators in to cleanup.
	OptInPolicy = "steward-cleanup-opt-in"
	// UninstallPolicy of deploy/base says who may delete what is opted in.
	UninstallPolicy = "steward-cleanup-uninstall"
	// ConfirmedLabel says of an opt-in that it was meant, by the UID of that policy.
	ConfirmedLabel = "steward.operatorframework.io/opt-in-confirmed"
)

var policies = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}

// settles is after how long Steward takes the policy on deletions for one that every API server asks, and a second more;
// confirms is after how long it confirms the opt-in of what is created then, by itself.
const (
	settles  = 11 * time.Second
	confirms = 62 * time.Second
)

// DeletionsSettle waits until what is deleted was deleted under UninstallPolicy. Of what was deleted sooner nobody knows who
// was allowed to, and it is refused.
func DeletionsSettle(ctx context.Context, client dynamic.Interface) error {
	return settle(ctx, client, UninstallPolicy, settles)
}

// OptInsSettle waits until whoever opts in what is created then was asked for the right to, under OptInPolicy.
func OptInsSettle(ctx context.Context, client dynamic.Interface) error {
	return settle(ctx, client, OptInPolicy, confirms)
}

// settle waits until the policy and its binding, as they were last written, are in force for so long.
func settle(ctx context.Context, client dynamic.Interface, policy string, after time.Duration) error {
	for _, resource := range []schema.GroupVersionResource{policies, policies.GroupVersion().WithResource("validatingadmissionpolicybindings")} {
		object, err := client.Resource(resource).Get(ctx, policy, metav1.GetOptions{})
		if err != nil {
			return err
		}
		last := object.GetCreationTimestamp().Time
		for _, entry := range object.GetManagedFields() {
			if entry.Subresource == "" && entry.Time != nil && entry.Time.After(last) {
				last = entry.Time.Time
			}
		}
		select {
		case <-time.After(time.Until(last.Add(after))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Confirm writes into a CSV that its opt-in is meant, as kubectl steward does when it opts in.
func Confirm(ctx context.Context, client dynamic.Interface, csv *Object) error {
	policy, err := client.Resource(policies).Get(ctx, OptInPolicy, metav1.GetOptions{})
	if err != nil {
		return err
	}
	labels := csv.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[ConfirmedLabel] = string(policy.GetUID())
	csv.SetLabels(labels)
	return nil
}
