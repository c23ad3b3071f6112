// Package stage sets up what `./dev bench` compares: a control plane that holds operators the way OLM leaves them, with a
// copy of every ClusterServiceVersion in every namespace; Steward behind it; and servers of the same bytes as files.
package stage

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"steward.dev/e2e/olm"
)

// Origin is the namespace where the operators are installed for all namespaces.
const Origin = "bench-operators"

// published are six of the operators of which ../shared has the ClusterServiceVersions. Their sizes are spread like those
// of the whole catalogue (a tenth below 11 kB, half below 21 kB, a tenth above 85 kB), and six copies are the 281 kB of
// JSON that the figures of docs/performance.md speak of.
var published = []struct {
	name                    string
	size, icon, annotations int // bytes of JSON, of which the icon, of which annotations: what stand-ins are made to
}{
	{"percona-postgresql-operator.v3.0.0", 23_421, 1_203, 6_180},
	{"infinispan-operator.v2.5.14", 29_491, 1_591, 2_070},
	{"datadog-operator.v1.29.0", 29_841, 5_507, 9_735},
	{"strimzi-cluster-operator.v1.2.0", 36_713, 1_543, 9_691},
	{"external-secrets-operator.v0.11.0", 59_878, 29_979, 20_277},
	{"clickhouse-operator.v0.27.2", 97_362, 81_629, 7_006},
}

// Operators is a set of ClusterServiceVersions, installed beside a global OperatorGroup; the smallest first.
type Operators struct {
	CSVs        []*olm.Object
	Group       *olm.Object
	Description string // says which they are
}

// LoadOperators reads the published ones, or makes stand-ins of the same sizes where there are none.
func LoadOperators(root string) (*Operators, error) {
	o := &Operators{Group: olm.OperatorGroup(Origin, "global")}
	folder := filepath.Join(root, "..", "shared", "csvs")
	_, err := os.Stat(folder)
	isPublished := err == nil
	total := 0
	for _, each := range published {
		csv := standIn(each.name, each.size, each.icon, each.annotations)
		if isPublished {
			read, err := olm.Read(filepath.Join(folder, each.name+".clusterserviceversion.yaml"))
			if err != nil {
				return nil, err
			}
			csv = read[0]
		}
		csv = olm.Installed(csv, o.Group, "")
		text, err := csv.MarshalJSON()
		if err != nil {
			return nil, err
		}
		total += len(text)
		o.CSVs = append(o.CSVs, csv)
	}
	kind := "synthetic ClusterServiceVersions (../shared/csvs is not there)"
	if isPublished {
		kind = "published ClusterServiceVersions"
	}
	o.Description = fmt.Sprintf("%d %s, %d kB of JSON together", len(o.CSVs), kind, total/1000)
	return o, nil
}

// standIn makes a ClusterServiceVersion of a size: its icon does not compress, its text does.
func standIn(name string, size, icon, annotations int) *olm.Object {
	random := rand.New(rand.NewPCG(uint64(size), uint64(icon)))
	csv := olm.CSV(name, olm.OperatorGroup(Origin, "global"))
	csv.SetAnnotations(map[string]string{"alm-examples": words(random, annotations)})
	picture := make([]byte, icon*3/4)
	for i := range picture {
		picture[i] = byte(random.UintN(256))
	}
	spec := csv.Object["spec"].(map[string]any)
	spec["icon"] = []any{map[string]any{"mediatype": "image/png", "base64data": base64.StdEncoding.EncodeToString(picture)}}
	text, err := csv.MarshalJSON()
	if err != nil {
		panic(err) // it was made of maps and strings just now
	}
	spec["description"] = words(random, max(0, size-len(text)))
	return csv
}

// words is text of a length that compresses about as well as descriptions do.
func words(random *rand.Rand, length int) string {
	text := &strings.Builder{}
	for text.Len() < length {
		for range 3 + random.IntN(8) {
			text.WriteByte("etaoinshrdlucmfwypvbgkjqxz"[min(random.IntN(26), random.IntN(26))])
		}
		text.WriteByte(' ')
	}
	return text.String()[:length]
}

// Copy is what OLM leaves of an operator in another namespace, and the part of it that is written as its status. Neither
// names the namespace.
func Copy(csv *olm.Object) (object, status []byte, err error) {
	copied := olm.View(csv, "")
	copied.SetAPIVersion(csv.GetAPIVersion())
	copied.SetKind(csv.GetKind())
	copied.SetNamespace("")
	patch := &olm.Object{Object: map[string]any{
		"apiVersion": csv.GetAPIVersion(), "kind": csv.GetKind(), "status": copied.Object["status"],
	}}
	delete(copied.Object, "status")
	if object, err = copied.MarshalJSON(); err != nil {
		return nil, nil, err
	}
	status, err = patch.MarshalJSON()
	return object, status, err
}
