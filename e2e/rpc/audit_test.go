package rpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Everything but that calls were received.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// recorded waits for the events of the audit log that are about the scene's operator and this verb.
func (s *scene) recorded(t *testing.T, verb string, count int) (events []map[string]any) {
	t.Helper()
	eventually(t, func() error {
		text, err := os.ReadFile(auditLog)
		if err != nil {
			return err
		}
		events = nil
		for line := range bytes.Lines(text) {
			var event map[string]any
			if err := json.Unmarshal(line, &event); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			object, _ := event["objectRef"].(map[string]any)
			if event["verb"] == verb && object["namespace"] == s.namespace {
				events = append(events, event)
			}
		}
		if len(events) != count {
			return fmt.Errorf("%d events, want %d: %v", len(events), count, events)
		}
		return nil
	})
	return events
}

// An abort patches as the controllers' own account: who asked for it is in an Event, and in the audit log.
func TestAnAbortIsOnRecord(t *testing.T) {
	s := install(t)
	frontend := as(t, "steward-apiserver")
	request := s.of()
	request["onBehalfOf"] = message{"user": "henri", "groups": []any{"system:authenticated"}}
	_, err := frontend.call(t.Context(), "Abort", request)
	expectCode(t, "without the right", err, codes.PermissionDenied)
	allow(t, "henri", s.namespace, "patch "+csvs)
	refusals := 1
	eventually(t, func() error {
		_, err := frontend.call(t.Context(), "Abort", request)
		if err != nil {
			refusals++
		}
		return err
	})

	events := s.recorded(t, "patch", refusals+1)
	for i, event := range events {
		wantCode, wantDecision := 403.0, "forbid"
		if i == refusals {
			wantCode, wantDecision = 200, "allow"
		}
		if event["requestURI"] != "/steward.cleanup.v1.CleanupService/Abort" ||
			event["user"].(map[string]any)["username"] != "steward-apiserver" ||
			event["impersonatedUser"].(map[string]any)["username"] != "henri" ||
			event["responseStatus"].(map[string]any)["code"] != wantCode ||
			event["annotations"].(map[string]any)["authorization.k8s.io/decision"] != wantDecision {
			t.Errorf("recorded: %v", event)
		}
	}
	const by = `by "henri" through "steward-apiserver"`
	eventually(t, func() error {
		told, err := shared.Kube.CoreV1().Events(s.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range told.Items {
			if event.Reason == "CleanupDisabled" && event.InvolvedObject.Name == csvName && strings.Contains(event.Message, by) {
				return nil
			}
		}
		return fmt.Errorf("no event says who aborted, of %d", len(told.Items))
	})
}
