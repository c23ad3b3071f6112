package copies_test

import (
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/examples"
)

// The clients in examples/grpc ask the process that makes copies, under its own rights: what is there, and what turning copies off
// would delete. Nothing is deleted by that.
func TestExamples_R_PRJ_07_Copies(t *testing.T) {
	const name, namespace = "asked.v1", "copies-asked"
	newOperator(t, name)
	newNamespace(t, namespace)
	dir := t.TempDir()
	authority, err := cluster.NewAuthority("copies-ca")
	must(t, err)
	ca, err := authority.Write(dir, "ca")
	must(t, err)
	server, err := authority.Server(dir, "server", "localhost")
	must(t, err)
	pair, err := authority.Client(dir, "client", "admin", "system:masters")
	must(t, err)
	address, err := cluster.FreeAddress()
	must(t, err)
	restart(t, "--grpc-bind-address="+address, "--grpc-tls-cert-file="+server.Cert,
		"--grpc-tls-private-key-file="+server.Key, "--grpc-client-ca-file="+ca)
	t.Cleanup(func() { restart(t) })
	eventually(t, copied(t, namespace, name))
	for _, language := range examples.Languages {
		t.Run(language, func(t *testing.T) {
			client := examples.Prepare(t, language, address, ca, pair)
			if said := examples.Run(t, client.Base, client.Once("copies", "watch")...); !strings.Contains(said, " right, ") {
				t.Errorf("watch: %q", said)
			}
			want := namespace + " " + name + " of " + home
			if said := examples.Run(t, client.Base, "copies", "preview", "off"); !strings.Contains(said, want) {
				t.Errorf("preview off: %q lacks %q", said, want)
			}
			must(t, copied(t, namespace, name)())
		})
	}
}
