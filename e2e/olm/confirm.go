package olm

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const (
	// OptInPolicy of deploy/base says who may opt operators in to cleanup.
	OptInPolicy = "steward-cleanup-opt-in"
	// ConfirmedLabel says of an opt-in that it was meant, by the UID of that policy.
	ConfirmedLabel = "steward.operatorframework.io/opt-in-confirmed"
)

var policies = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}

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
