package stage

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/olm"
)

// smallCopy is how many bytes of description a copy has that is one of very many: what they cost the controllers does not
// depend on it, and a kube-apiserver holds all of them.
const smallCopy = 1500

// EnsureInstalled makes the operator that is uninstalled once more, if it is gone.
func (u *Uninstalls) EnsureInstalled(ctx context.Context) error {
	_, err := u.Any.Resource(olm.CSVs).Namespace(Origin).Get(ctx, uninstalled, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	return u.optIn(ctx, u.uninstallable())
}

// CopyTo brings the number of copies in the cluster to count: of operators that are made for it, each of them in every
// namespace, as OLM leaves them before it has written their status.
func (u *Uninstalls) CopyTo(ctx context.Context, count int, say Progress) error {
	client := u.administrator.Connect()
	defer client.Close()
	say("bringing the number of copies to %d", count)
	for ; u.copies < count; u.copies += len(u.Namespaces) {
		original := u.copied(u.copies / len(u.Namespaces))
		if err := olm.Create(ctx, u.Any, original); err != nil {
			return err
		}
		original.SetLabels(map[string]string{"olm.copiedFrom": Origin})
		original.SetNamespace("")
		body, err := original.MarshalJSON()
		if err != nil {
			return err
		}
		err = parallel(ctx, u.Namespaces, func(ctx context.Context, namespace string) error {
			return client.Send(ctx, http.MethodPost, CopiesIn(namespace), body, "Content-Type", load.JSON)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *Uninstalls) copied(i int) *olm.Object {
	csv := olm.CSV(fmt.Sprintf("copied-%03d.v1", i), u.group())
	spec := csv.Object["spec"].(map[string]any)
	spec["description"] = words(rand.New(rand.NewPCG(uint64(i), 1)), smallCopy)
	var owned []any
	for _, kind := range []string{"Cluster", "Backup", "Restore"} {
		owned = append(owned, map[string]any{
			"name": fmt.Sprintf("%ss.copied-%03d.example.com", strings.ToLower(kind), i), "version": "v1", "kind": kind,
		})
	}
	spec["customresourcedefinitions"] = map[string]any{"owned": owned}
	return csv
}

// FanOut changes the status of one original and of all of its copies, as OLM does.
func (u *Uninstalls) FanOut(ctx context.Context) error {
	client := u.administrator.Connect()
	defer client.Close()
	name := u.copied(0).GetName()
	status := []byte(`{"status":{"phase":"Succeeded","reason":"Copied","message":"` + NextName("changed") + `"}}`)
	return parallel(ctx, append([]string{Origin}, u.Namespaces...), func(ctx context.Context, namespace string) error {
		return client.Send(ctx, http.MethodPatch, CopiesIn(namespace)+"/"+name+"/status", status, "Content-Type", mergePatch)
	})
}

// Requests is how often ClusterServiceVersions were asked for by a verb of the kube-apiserver's metrics ("LIST", "GET").
func (u *Uninstalls) Requests(ctx context.Context, verb string) (int, error) {
	client := u.administrator.Connect()
	defer client.Close()
	response, err := client.Open(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	total := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "apiserver_request_total{") || !strings.Contains(line, `resource="clusterserviceversions"`) ||
			!strings.Contains(line, `verb="`+verb+`"`) {
			continue
		}
		count, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
		if err != nil {
			return 0, err
		}
		total += int(count)
	}
	return total, nil
}
