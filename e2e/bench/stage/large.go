package stage

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Large is many operators, each installed for all of many namespaces, on a store of `steward up`, which is also the
// cluster of a `steward apiserver`.
type Large struct {
	Operators  int
	Namespaces []string // all there are
	Store      *cluster.Process
	Static     *Static
	Loading    time.Duration

	dir     string
	secrets *Secrets
	data    string // the store's folder
	admin   *rest.Config
}

// StartLarge makes manifests and loads them. What it returns is to be stopped even after an error.
func StartLarge(dir string, from *Operators, operators, namespaces int, say Progress) (l *Large, err error) {
	l = &Large{Operators: operators, dir: dir, Namespaces: []string{"default", "kube-system", Origin}}
	for i := range namespaces {
		l.Namespaces = append(l.Namespaces, fmt.Sprintf("bench-%05d", i))
	}
	manifests := filepath.Join(dir, "manifests")
	if err := os.MkdirAll(manifests, 0o755); err != nil {
		return l, err
	}
	say("making manifests of %d operators and %d namespaces", operators, namespaces)
	if err := writeManifests(manifests, from, operators, l.Namespaces); err != nil {
		return l, err
	}
	root, err := cluster.Root()
	if err != nil {
		return l, err
	}
	if err := l.startStore(root, manifests); err != nil {
		return l, err
	}
	say("loaded them in %s", l.Loading.Round(100*time.Millisecond))
	if l.secrets, err = NewSecrets(dir, "localhost"); err != nil {
		return l, err
	}
	l.Static, err = StartStatic(dir, l.secrets, runtime.NumCPU())
	return l, err
}

// startStore runs `steward up` and waits until it has loaded everything.
func (l *Large) startStore(root, manifests string) (err error) {
	l.data = filepath.Join(l.dir, "store")
	binary, err := cluster.Binary()
	if err != nil {
		return err
	}
	began := time.Now()
	l.Store, err = cluster.Spawn(l.dir, "steward-up", binary, "up", "--data-dir="+l.data, "--secure-port=0",
		"--strict", "--load="+filepath.Join(root, "examples", "crds"), "--load="+manifests)
	if err != nil {
		return err
	}
	for limit := began.Add(time.Minute); ; {
		text, err := os.ReadFile(l.Store.Log)
		if err == nil && strings.Contains(string(text), "ready: ") {
			break
		}
		if !l.Store.Running() || time.Now().After(limit) {
			return fmt.Errorf("steward up is not ready:\n%s", l.Store.Tail(10))
		}
		time.Sleep(10 * time.Millisecond)
	}
	l.Loading = time.Since(began)
	l.admin, err = clientcmd.BuildConfigFromFlags("", filepath.Join(l.data, "kubeconfig"))
	return err
}

// manifestItems keeps a manifest well below what a file may hold.
const manifestItems = 100

func writeManifests(dir string, from *Operators, operators int, namespaces []string) error {
	items := []any{from.Group.Object}
	for _, name := range namespaces {
		items = append(items, olm.Namespace(name).Object)
	}
	if err := writeList(filepath.Join(dir, "namespaces.json"), items); err != nil {
		return err
	}
	for first := 0; first < operators; first += manifestItems {
		items = items[:0]
		for i := first; i < min(first+manifestItems, operators); i++ {
			items = append(items, variant(from.CSVs[i%len(from.CSVs)], i).Object)
		}
		if err := writeList(filepath.Join(dir, fmt.Sprintf("operators-%04d.json", first)), items); err != nil {
			return err
		}
	}
	return nil
}

func writeList(path string, items []any) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(file)
	err = json.NewEncoder(buffer).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	return errors.Join(err, buffer.Flush(), file.Close())
}

// variant is one more operator of the same size that shares no long text with the others: no cache may take them for one.
func variant(csv *olm.Object, number int) *olm.Object {
	csv = csv.DeepCopy()
	csv.SetName(fmt.Sprintf("operator-%04d.v1.0.0", number))
	random := rand.New(rand.NewPCG(uint64(number), 1))
	spec := csv.Object["spec"].(map[string]any)
	description, _ := spec["description"].(string)
	spec["description"] = fmt.Sprintf("%d ", number) + description
	icons, _ := spec["icon"].([]any)
	for _, each := range icons {
		icon, _ := each.(map[string]any)
		text, _ := icon["base64data"].(string)
		picture := make([]byte, len(text)/4*3)
		for i := range picture {
			picture[i] = byte(random.UintN(256))
		}
		icon["base64data"] = base64.StdEncoding.EncodeToString(picture)
	}
	return csv
}

// Prepare chooses the port of a `steward apiserver` on the store, and returns how to start it and how to ask it. Its
// users are known by certificates of the store's authority.
func (l *Large) Prepare(name string) (start func() (*cluster.Process, error), server load.Server, err error) {
	port, err := cluster.FreePort()
	if err != nil {
		return nil, server, err
	}
	administrator := rest.CopyConfig(l.admin)
	administrator.Host = "https://127.0.0.1:" + strconv.Itoa(port)
	administrator.CAData, administrator.CAFile = l.secrets.Authority.PEM, ""
	if server, err = serverOf("Steward", administrator, ""); err != nil {
		return nil, server, err
	}
	binary, err := cluster.Binary()
	if err != nil {
		return nil, server, err
	}
	start = func() (*cluster.Process, error) {
		return cluster.Spawn(l.dir, name, binary, "apiserver",
			"--kubeconfig="+filepath.Join(l.data, "kubeconfig"), "--authentication-skip-lookup",
			"--client-ca-file="+filepath.Join(l.data, "pki", "ca.crt"),
			"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port),
			"--tls-cert-file="+l.secrets.Pair.Cert, "--tls-private-key-file="+l.secrets.Pair.Key)
	}
	return start, server, nil
}

// Started waits until a server answers a path with 200, or its process ends. It asks about every millisecond.
func Started(ctx context.Context, process *cluster.Process, server *load.Server, path string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	client := server.Connect()
	defer client.Close()
	for {
		_, err := client.Drain(ctx, path)
		if err == nil {
			return nil
		}
		select {
		case <-process.Exited():
			return fmt.Errorf("%s ended:\n%s", process.Name, process.Tail(10))
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer %s: %w", process.Name, path, err)
		case <-time.After(time.Millisecond):
		}
	}
}

// Processes are those that must not count as other programs.
func (l *Large) Processes() []int { return append([]int{l.Store.Pid()}, l.Static.PIDs...) }

// Stop ends everything.
func (l *Large) Stop() error {
	err := l.Static.Stop()
	if l.Store != nil {
		err = errors.Join(err, l.Store.Stop(stopGrace))
	}
	return err
}
