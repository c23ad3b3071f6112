package embedded_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

// pending asks what the uninstallation of a database operator would wait for.
func pending(t *testing.T, up *embedded.Up, csv string) (names []string, err error) {
	t.Helper()
	set, err := kubernetes.NewForConfig(up.Config)
	if err != nil {
		return nil, err
	}
	path := "/apis/views.operators.coreos.com/v1alpha1/namespaces/databases/cleanupstatuses/" + csv + "/pending"
	result := set.RESTClient().Get().AbsPath(path).MaxRetries(0).Do(t.Context())
	if err := result.Error(); err != nil {
		return nil, err
	}
	text, err := result.Raw()
	if err != nil {
		return nil, err
	}
	var list struct {
		Kind  string
		Items []struct{ Plural, Namespace, Name string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	if list.Kind != "PendingOperandList" {
		return nil, fmt.Errorf("kind %q", list.Kind)
	}
	for _, item := range list.Items {
		names = append(names, item.Plural+" "+item.Namespace+"/"+item.Name)
	}
	return names, nil
}

func databaseOperator(t *testing.T, up *embedded.Up) string {
	t.Helper()
	for _, name := range names(t, up, olm.CSVs, "databases") {
		if strings.HasPrefix(name, "tidepool") {
			return name
		}
	}
	t.Fatal("there is no tidepool")
	return ""
}

// The controllers are in the same process, and are asked over gRPC all the same.
func TestUpAnswersWhatACleanupWouldWaitFor(t *testing.T) {
	up := start(t, t.TempDir(), "--load", examples(t))
	csv := databaseOperator(t, up)
	eventually(t, func() error {
		names, err := pending(t, up, csv)
		if len(names) != 0 {
			t.Fatalf("before anybody opted in: %q", names)
		}
		return err
	})
	patch := []byte(`{"metadata":{"finalizers":["operatorframework.io/delete-custom-resources"]},"spec":{"cleanup":{"enabled":true}}}`)
	_, err := up.Any.Resource(olm.CSVs).Namespace("databases").Patch(t.Context(), csv, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		names, err := pending(t, up, csv)
		if err == nil && len(names) == 0 {
			err = errors.New("nothing is pending")
		}
		return err
	})
}

func TestUpWithoutGRPCSaysSo(t *testing.T) {
	up := start(t, t.TempDir(), "--load", examples(t), "--grpc-bind-address=0")
	_, err := pending(t, up, databaseOperator(t, up))
	var said *apierrors.StatusError
	if !errors.As(err, &said) || said.ErrStatus.Code != http.StatusServiceUnavailable || !strings.Contains(said.ErrStatus.Message, "gRPC is off") {
		t.Errorf("%v", err)
	}
}
