package stage

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// BackendCommand is the first argument that makes the program of `./dev bench` the static API server.
const BackendCommand = "static-backend"

// The static API, as the aggregator knows it.
const (
	backendGroup   = "static.bench.steward.dev"
	backendVersion = "v1alpha1"
	backendSpace   = "bench-static"
	backendService = "static"

	// HoldPath is a stream that stays open and gets every pushed file; PushPath plus a file's name pushes it to all.
	HoldPath = "/hold"
	PushPath = "/push/"
)

// backendPath is where the aggregator finds a file.
func backendPath(file string) string {
	return "/apis/" + backendGroup + "/" + backendVersion + "/" + path.Base(file)
}

// Backend is a Go server of prebuilt bytes: behind the aggregator, and to any number of streams that wait for them, as
// watches do. What a server could reach that has nothing to compute.
type Backend struct {
	load.Server
	process *cluster.Process
}

// StartBackend starts this very program as a Backend of the files in a folder.
func StartBackend(dir string, secrets *Secrets, folder string) (*Backend, error) {
	port, err := cluster.FreePort()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	b := &Backend{Server: load.Server{Name: "static bytes (Go)", Host: "https://" + address, TLS: secrets.Trust}}
	b.process, err = cluster.Spawn(dir, "static-backend", self, BackendCommand,
		"-address", address, "-cert", secrets.Pair.Cert, "-key", secrets.Pair.Key, "-folder", folder)
	if err != nil {
		return nil, err
	}
	b.PIDs = []int{b.process.Pid()}
	return b, waitAnswers(b.process, &b.Server)
}

// Register makes the aggregator know the backend.
func (b *Backend) Register(ctx context.Context, c *cluster.Cluster, secrets *Secrets) error {
	_, port, err := net.SplitHostPort(b.Host[len("https://"):])
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(port, 10, 64)
	if err != nil {
		return err
	}
	service := &olm.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{"name": backendService, "namespace": backendSpace},
		"spec":     map[string]any{"type": "ExternalName", "externalName": "localhost"},
	}}
	api := &olm.Object{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": backendVersion + "." + backendGroup},
		"spec": map[string]any{
			"group": backendGroup, "version": backendVersion, "groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
			"caBundle": base64.StdEncoding.EncodeToString(secrets.Authority.PEM),
			"service":  map[string]any{"name": backendService, "namespace": backendSpace, "port": number},
		},
	}}
	if err := olm.Create(ctx, c.Any, olm.Namespace(backendSpace)); err != nil {
		return err
	}
	for object, resource := range map[*olm.Object]schema.GroupVersionResource{
		service: {Version: "v1", Resource: "services"},
		api:     {Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"},
	} {
		_, err := c.Any.Resource(resource).Namespace(object.GetNamespace()).Create(ctx, object, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create %s: %w", object.GetKind(), err)
		}
	}
	return nil
}

// Stop ends the server.
func (b *Backend) Stop() error {
	if b == nil {
		return nil
	}
	return b.process.Stop(stopGrace)
}

// RunBackend is the static API server's main function; it returns only with an error.
func RunBackend(args []string) error {
	flags := flag.NewFlagSet(BackendCommand, flag.ContinueOnError)
	address := flags.String("address", "", "where to listen")
	cert := flags.String("cert", "", "certificate, PEM")
	key := flags.String("key", "", "its key, PEM")
	folder := flags.String("folder", "", "the files to serve")
	if err := flags.Parse(args); err != nil {
		return err
	}
	server := &http.Server{Addr: *address, Handler: newBackend(*folder), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1000}}
	return server.ListenAndServeTLS(*cert, *key)
}

type backend struct {
	folder string
	mu     sync.Mutex
	files  map[string][]byte
	next   *pushed // what held streams wait for
}

// pushed is one file for all who wait: ready is closed when content is there, and the next one after it.
type pushed struct {
	ready   chan struct{}
	content []byte
	next    *pushed
}

func newBackend(folder string) http.Handler {
	b := &backend{folder: folder, files: map[string][]byte{}, next: &pushed{ready: make(chan struct{})}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/"+backendGroup+"/"+backendVersion, b.resources)
	mux.HandleFunc("GET /apis/"+backendGroup+"/"+backendVersion+"/{file}", b.serve)
	mux.HandleFunc("GET "+HoldPath, b.hold)
	mux.HandleFunc("POST "+PushPath+"{file}", b.push)
	return mux
}

// resources is what the aggregator asks to see whether the API is available.
func (b *backend) resources(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"%s/%s","resources":[]}`, backendGroup, backendVersion)
}

// file reads a file once.
func (b *backend) file(name string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if content, ok := b.files[name]; ok {
		return content, nil
	}
	content, err := os.ReadFile(filepath.Join(b.folder, filepath.Base(name)))
	if err == nil {
		b.files[name] = content
	}
	return content, err
}

func (b *backend) serve(w http.ResponseWriter, r *http.Request) {
	content, err := b.file(r.PathValue("file"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.PathValue("file"), ".gz") {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
}

func (b *backend) waiting() *pushed {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

func (b *backend) hold(w http.ResponseWriter, r *http.Request) {
	flusher := http.NewResponseController(w)
	next := b.waiting()
	w.WriteHeader(http.StatusOK)
	if flusher.Flush() != nil {
		return
	}
	for {
		select {
		case <-next.ready:
		case <-r.Context().Done():
			return
		}
		if _, err := w.Write(next.content); err != nil || flusher.Flush() != nil {
			return
		}
		next = next.next
	}
}

func (b *backend) push(w http.ResponseWriter, r *http.Request) {
	content, err := b.file(r.PathValue("file"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	now := b.next
	b.next = &pushed{ready: make(chan struct{})}
	now.content, now.next = content, b.next
	b.mu.Unlock()
	close(now.ready)
}
