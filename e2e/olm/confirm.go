package olm

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
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
	// ConfirmedLabel says of an opt-in that it was meant, by what nobody could know before that policy was bound.
	ConfirmedLabel = "steward.operatorframework.io/opt-in-confirmed"
)

var policies = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}

var bindings = policies.GroupVersion().WithResource("validatingadmissionpolicybindings")

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
	for _, resource := range []schema.GroupVersionResource{policies, bindings} {
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
	proof, err := OptInProof(ctx, client)
	if err != nil {
		return err
	}
	labels := csv.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[ConfirmedLabel] = proof
	csv.SetLabels(labels)
	return nil
}

// OptInProof is the value of ConfirmedLabel that counts: the UUID (version 5) of the binding's UID and resourceVersion
// in the policy's.
func OptInProof(ctx context.Context, client dynamic.Interface) (string, error) {
	policy, err := client.Resource(policies).Get(ctx, OptInPolicy, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	binding, err := client.Resource(bindings).Get(ctx, OptInPolicy, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	space, err := hex.DecodeString(strings.ReplaceAll(string(policy.GetUID()), "-", ""))
	if err != nil {
		return "", err
	}
	sum := sha1.Sum(fmt.Appendf(space, "%s/%s", binding.GetUID(), binding.GetResourceVersion()))
	sum[6], sum[8] = sum[6]&0x0f|0x50, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]), nil
}
