// Package kubeconfigs proves that `kubectl steward` reaches the clusters that kubectl reaches, as the user whom kubectl is: with one
// kubeconfig, both say the same of themselves to the same server by the same way, or both refuse to ask.
package kubeconfigs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

type row struct {
	name string
	// What the kubeconfig's cluster and user consist of, in YAML's flow style; the server is that with TLS, and its authority ca.crt
	// beside the kubeconfig, where they name no other.
	cluster, user string
	// In place of it all: whole files by their names, of which KUBECONFIG names the first unless env does.
	files map[string]string
	env   []string
	flags []string
	// A part of what the server or a proxy must have been told, so that no row is empty by mistake; "" = both refuse.
	told string
}

const (
	server = `server: "https://{tls}", certificate-authority: ca.crt`
	v1     = `apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never`
)

func kubeconfig(cluster, user string) string {
	return "apiVersion: v1\nkind: Config\ncurrent-context: main\n" +
		"contexts:\n- {name: main, context: {cluster: c, user: u}}\n- {name: second, context: {cluster: c, user: second}}\n" +
		"clusters:\n- name: c\n  cluster: {" + cluster + "}\n- name: named\n  cluster: {" + server + ", tls-server-name: kubernetes}\n" +
		"users:\n- name: u\n  user: {" + user + "}\n- name: second\n  user: {token: second}\n"
}

var rows = []row{
	{name: "token", user: `token: t`, told: "Authorization=Bearer t"},
	{name: "token file", user: `tokenFile: token`, told: "Bearer of-file"},
	{name: "token beside its file", user: `token: t, tokenFile: token`, told: "Bearer of-file"},
	{name: "token file that is empty", user: `tokenFile: empty`},
	{name: "token file that is not there", user: `tokenFile: nowhere`},
	{name: "token with a line end", user: `token: "t\nX: y"`},
	{name: "token that is a number", user: `token: 5`},
	{name: "name and password", user: `username: jane, password: p`, told: "Basic amFuZTpw"},
	{name: "name alone", user: `username: jane`, told: "Basic amFuZTo="},
	{name: "password with a token", user: `username: jane, password: p, token: t`},
	{name: "password with a token file", user: `username: jane, password: p, tokenFile: token`},
	{name: "certificate", user: `client-certificate: client.crt, client-key: client.key`, told: "certificate=jane"},
	{name: "certificate with a token", user: `client-certificate: client.crt, client-key: client.key, token: t`, told: "certificate=jane"},
	{name: "certificate without its key", user: `client-certificate: client.crt, token: t`},
	{name: "certificate twice", user: `client-certificate: client.crt, client-certificate-data: "{ca64}", client-key: client.key`},
	{name: "key alone", user: `client-key: nowhere, token: t`, told: "Bearer t"},
	{name: "key of another certificate", user: `client-certificate: client.crt, client-key: robot.key`},
	{name: "nobody", user: ``},
	{name: "authority within", cluster: `server: "https://{tls}", certificate-authority-data: "{ca64}"`, user: `token: t`, told: "Bearer t"},
	{name: "authority twice", cluster: server + `, certificate-authority-data: "{ca64}"`, user: `token: t`},
	{name: "authority of others", cluster: `server: "https://{tls}", certificate-authority: other.crt`, user: `token: t`},
	{name: "authority that is not there", cluster: `server: "https://{tls}", certificate-authority: nowhere`, user: `token: t`},
	{name: "authority that is none", cluster: `server: "https://{tls}", certificate-authority: token`, user: `token: t`},
	{name: "no authority", cluster: `server: "https://{tls}"`, user: `token: t`},
	{name: "insecure", cluster: `server: "https://{tls}", insecure-skip-tls-verify: true`, user: `token: t`, told: "Bearer t"},
	{name: "insecure with an authority", cluster: server + `, insecure-skip-tls-verify: true`, user: `token: t`},
	{name: "name of the server", cluster: server + `, tls-server-name: kubernetes`, user: `token: t`, told: "sni=kubernetes"},
	{name: "name that the server has not", cluster: server + `, tls-server-name: other.test`, user: `token: t`},
	{name: "path of the server", cluster: `server: "https://{tls}/prefix/", certificate-authority: ca.crt`, user: `token: t`, told: "prefix=/prefix"},
	{name: "no server", cluster: `certificate-authority: ca.crt`, user: `token: t`},
	{name: "server without TLS", cluster: `server: "http://{plain}"`, user: `token: t, as: root`, told: "plain host="},
	{name: "server without a scheme", cluster: `server: "{plain}"`, user: `token: t`, told: "plain host="},

	{name: "acting", user: `token: t, as: root, as-uid: "1", as-groups: ["system:masters", b], as-user-extra: {reasons: [a, b], "example.com/x y": [c]}`,
		told: "Impersonate-Extra-example.com/x y=c"},
	{name: "acting with capital letters", user: `token: t, as: root, as-user-extra: {Reason: [a]}`, told: "Impersonate-Extra-reason=a"},
	{name: "acting as groups alone", user: `token: t, as-groups: [a]`},
	{name: "acting as who is no header", user: `token: t, as: "a\r\nX: y"`},

	{name: "plugin of the PATH", user: `exec: {command: says-token, ` + v1 + `}`, told: "Bearer of-plugin"},
	{name: "plugin beside the kubeconfig", user: `exec: {command: ./bin/says-token, ` + v1 + `}`, told: "Bearer of-plugin"},
	{name: "plugin with arguments and variables", user: `exec: {command: says-args, args: [a, b c], env: [{name: MINE, value: v}, {name: HOME, value: h}], ` + v1 + `}`,
		told: "Bearer a-b.c-v-h"},
	{name: "plugin of a beta", user: `exec: {command: says-beta, apiVersion: client.authentication.k8s.io/v1beta1}`, told: "Bearer of-beta"},
	{name: "plugin that says a certificate", user: `exec: {command: says-certificate, ` + v1 + `}`, told: "certificate=robot"},
	{name: "plugin that is told", cluster: server + `, tls-server-name: kubernetes, disable-compression: true, extensions: [{name: client.authentication.k8s.io/exec, extension: {a: {b: 1}}}]`,
		user: `exec: {command: says-info, provideClusterInfo: true, ` + v1 + `}`, told: `"config":{"a":{"b":1}}`},
	{name: "plugin that is told of no cluster", user: `exec: {command: says-info, ` + v1 + `}`, told: `"interactive":false`},
	{name: "plugin without a mode", user: `exec: {command: says-token, apiVersion: client.authentication.k8s.io/v1}`},
	{name: "plugin that must ask", user: `exec: {command: says-token, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}`},
	{name: "plugin of an alpha", user: `exec: {command: says-token, apiVersion: client.authentication.k8s.io/v1alpha1, interactiveMode: Never}`},
	{name: "plugin that fails", user: `exec: {command: fails, ` + v1 + `}`},
	{name: "plugin that lies", user: `exec: {command: says-beta, ` + v1 + `}`},
	{name: "plugin that says nothing", user: `exec: {command: "true", ` + v1 + `}`},
	{name: "plugin that is not there", user: `exec: {command: nowhere, ` + v1 + `}`},
	{name: "plugin beside a token", user: `token: t, exec: {command: fails, ` + v1 + `}`, told: "Bearer t"},
	{name: "plugin beside a certificate", user: `client-certificate: client.crt, client-key: client.key, exec: {command: fails, ` + v1 + `}`, told: "certificate=jane"},
	{name: "plugin of old", user: `auth-provider: {name: gcp}`},

	{name: "proxy", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt, proxy-url: "{http}"`, user: `token: t`, told: "http proxy: CONNECT cluster.test:6443"},
	{name: "proxy with a password", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt, proxy-url: "http://us%40r:p@{proxy}"`, user: `token: t`,
		told: "Basic dXNAcjpw"},
	{name: "proxy with TLS", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt, proxy-url: "{https}"`, user: `token: t`, told: "https proxy: CONNECT"},
	{name: "proxy of SOCKS", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt, proxy-url: "socks5://{socks}"`, user: `token: t`,
		told: "socks proxy: cluster.test:6443"},
	{name: "proxy of SOCKS with a password", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt, proxy-url: "socks5://u:p@{socks}"`, user: `token: t`,
		told: "socks proxy: cluster.test:6443 u:p"},
	{name: "proxy of another kind", cluster: server + `, proxy-url: "ftp://{proxy}"`, user: `token: t`},
	{name: "proxy that refuses", cluster: `server: "https://nowhere.test", certificate-authority: ca.crt, proxy-url: "{http}"`, user: `token: t`, told: "http proxy: CONNECT nowhere.test:443"},
	{name: "proxy without TLS behind", cluster: `server: "http://plain.test:8001", proxy-url: "http://u:p@{proxy}"`, user: `token: t`, told: "http proxy: GET plain.test:8001 Basic dTpw"},
	{name: "proxy of SOCKS without TLS behind", cluster: `server: "http://plain.test:8001", proxy-url: "socks5://{socks}"`, user: `token: t`, told: "socks proxy: plain.test:8001"},
	{name: "proxy of the environment", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt`, user: `token: t`, env: []string{"HTTPS_PROXY={http}"},
		told: "http proxy: CONNECT"},
	{name: "proxy without a scheme", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt`, user: `token: t`, env: []string{"https_proxy={proxy}"},
		told: "http proxy: CONNECT"},
	{name: "proxy of the environment without TLS behind", cluster: `server: "http://plain.test:8001"`, user: `token: t`, env: []string{"HTTP_PROXY={http}", "HTTPS_PROXY=http://127.0.0.1:1"},
		told: "http proxy: GET"},
	{name: "no proxy for this machine", user: `token: t`, env: []string{"HTTPS_PROXY={http}"}, told: "TLS host="},
	{name: "no proxy for what is named", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt`, user: `token: t`,
		env: []string{"HTTPS_PROXY={http}", "NO_PROXY=.other, test"}},
	{name: "proxy of the kubeconfig for what is named", cluster: `server: "https://cluster.test:6443", certificate-authority: ca.crt, proxy-url: "{http}"`, user: `token: t`,
		env: []string{"NO_PROXY=*"}, told: "http proxy: CONNECT"},

	{name: "flags: context", user: `token: t`, flags: []string{"--context=second"}, told: "Bearer second"},
	{name: "flags: a context that is not there", user: `token: t`, flags: []string{"--context=nowhere"}},
	{name: "flags: cluster and user", cluster: `server: "https://127.0.0.1:1"`, user: `token: t`, flags: []string{"--cluster=named", "--user=second"}, told: "sni=kubernetes prefix= Authorization=Bearer second"},
	{name: "flags: a user who is not there", user: `token: t`, flags: []string{"--user=nowhere"}},
	{name: "flags: a cluster that is not there", user: `token: t`, flags: []string{"--cluster=nowhere"}},
	{name: "flags: server", cluster: `server: "https://127.0.0.1:1", certificate-authority: ca.crt, tls-server-name: other.test`, user: `token: t`,
		flags: []string{"--server=https://{tls}"}, told: "Bearer t"},
	{name: "flags: a server alone", files: map[string]string{"alone": ""}, flags: []string{"--server=https://{tls}", "--certificate-authority={dir}/ca.crt", "--token=t"}, told: "Bearer t"},
	{name: "flags: insecure", cluster: server, user: `token: t`, flags: []string{"--insecure-skip-tls-verify"}, told: "Bearer t"},
	{name: "flags: token", user: `exec: {command: fails, ` + v1 + `}`, flags: []string{"--token=mine"}, told: "Bearer mine"},
	{name: "flags: token beside a password", user: `username: jane, password: p`, flags: []string{"--token=mine"}},
	{name: "flags: acting", user: `token: t, as: a, as-groups: [b]`, flags: []string{"--as=root", "--as-group=x,y", "--as-group=z", "--as-uid=1"}, told: "Impersonate-Group=x,y"},

	{name: "two files", env: []string{"KUBECONFIG={dir}/first::{dir}/nowhere:{dir}/second:{dir}/first"}, files: map[string]string{
		"first":  "users:\n- {name: u, user: {token: first}}\ncontexts:\n- {name: main, context: {cluster: c, user: u}}\n",
		"second": kubeconfig(server, `token: second`)}, told: "Bearer first"},
	{name: "two files, one of them broken", env: []string{"KUBECONFIG={dir}/first:{dir}/second"}, files: map[string]string{
		"first": kubeconfig(server, `token: t`), "second": "{"}},
	{name: "two files in two folders", env: []string{"KUBECONFIG={dir}/sub/users:{dir}/first"}, files: map[string]string{
		"sub/users": "users:\n- {name: u, user: {tokenFile: ../token}}\n", "first": kubeconfig(server, ``)}, told: "Bearer of-file"},
	{name: "JSON", files: map[string]string{"json": `{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c","user":"u"}}],` +
		`"clusters":[{"name":"c","cluster":{"server":"https://{tls}","certificate-authority":"ca.crt"}}],"users":[{"name":"u","user":{"token":"t"}}]}`}, told: "Bearer t"},
	{name: "a name twice", files: map[string]string{"twice": kubeconfig(server, `token: t`) + "- {name: u, user: {token: other}}\n"}},
	{name: "another kind", files: map[string]string{"pod": "apiVersion: v1\nkind: Pod\n"}},
	{name: "a user who is not there", files: map[string]string{"userless": strings.Replace(kubeconfig(server, `token: t`), "user: u}", "user: nobody}", 1)}},
	{name: "a cluster that is not there", files: map[string]string{"clusterless": strings.Replace(kubeconfig(server, `token: t`), "cluster: c,", "cluster: nowhere,", 1)}},
	{name: "a file that is not there", flags: []string{"--kubeconfig={dir}/nowhere"}, user: `token: t`},
	{name: "the file of the home", env: []string{"KUBECONFIG="}, files: map[string]string{".kube/config": strings.ReplaceAll(kubeconfig(server, `token: home`), "ca.crt", "../ca.crt")},
		told: "Bearer home"},
}

// plugins are the scripts of the rows' credential plugins. The environment is the plugin's own and this process's.
var plugins = map[string]string{
	"says-token":       says("v1", `{"token":"of-plugin"}`),
	"says-beta":        says("v1beta1", `{"token":"of-beta"}`),
	"says-args":        says("v1", `{"token":"'$1-$(echo "$2" | tr ' ' .)-$MINE-$HOME'"}`),
	"says-info":        says("v1", `{"token":"info.'$(printf %s "$KUBERNETES_EXEC_INFO" | base64 -w0 | tr '+/' '-_' | tr -d =)'"}`),
	"says-certificate": says("v1", `{"clientCertificateData":"'$(awk '{printf "%s\\n", $0}' robot.crt)'","clientKeyData":"'$(awk '{printf "%s\\n", $0}' robot.key)'"}`),
	"fails":            "echo a reason >&2; exit 3\n",
}

func says(version, status string) string {
	return `IFS=; printf '%s\n' '{"apiVersion":"client.authentication.k8s.io/` + version + `","kind":"ExecCredential","status":` + status + "}'\n"
}

func TestKubeconfigs(t *testing.T) {
	binary, err := cluster.Binary()
	must(t, err)
	kubectl, err := cluster.KubectlPath()
	must(t, err)
	if len(rows) < 40 {
		t.Errorf("only %d kubeconfigs", len(rows))
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			env := w.prepare(t, r)
			flags := []string{}
			for _, flag := range r.flags {
				flags = append(flags, w.text(flag))
			}
			theirs, theyFailed := w.run(t, env, kubectl, append([]string{"get", "--raw=/version"}, flags...)...)
			ours, weFailed := w.run(t, env, binary, append([]string{"kubectl", "status"}, flags...)...)
			if strings.Join(theirs, "\n") != strings.Join(ours, "\n") {
				t.Errorf("kubectl:\n  %s\n(%s)\nsteward:\n  %s\n(%s)", strings.Join(theirs, "\n  "), theyFailed, strings.Join(ours, "\n  "), weFailed)
			}
			if r.told == "" && (len(theirs) != 0 || theyFailed == "" || weFailed == "") {
				t.Errorf("not refused by both: %q, %q, %q", theirs, theyFailed, weFailed)
			}
			if !strings.Contains(strings.Join(theirs, "\n"), r.told) {
				t.Errorf("kubectl does not say %q: %q (%s)", r.told, theirs, theyFailed)
			}
			for _, secret := range []string{"p:w", "mine\n"} {
				if strings.Contains(weFailed, secret) {
					t.Errorf("says a secret: %s", weFailed)
				}
			}
			if r.told == "" && strings.Count(strings.TrimSpace(weFailed), "\n") > 1 {
				t.Errorf("more than a sentence: %s", weFailed)
			}
		})
	}
}

// prepare writes the files of a row, and returns the environment.
func (w *world) prepare(t *testing.T, r row) []string {
	t.Helper()
	write := func(name, text string, mode os.FileMode) {
		must(t, os.MkdirAll(filepath.Dir(w.file(name)), 0o755))
		must(t, os.WriteFile(w.file(name), []byte(text), mode))
	}
	write("token", "of-file\n", 0o600)
	write("empty", "", 0o600)
	for name, script := range plugins {
		write("bin/"+name, "#!/bin/sh\n"+script, 0o755)
	}
	files, first := r.files, ""
	if files == nil {
		text := r.cluster
		if text == "" {
			text = server
		}
		files = map[string]string{"kubeconfig": kubeconfig(text, r.user)}
	}
	for name, text := range files {
		write(name, w.text(text), 0o600)
		first = w.file(name)
	}
	env := []string{"HOME=" + w.dir, "PATH=" + w.file("bin") + ":/usr/bin:/bin", "KUBECONFIG=" + first}
	for _, variable := range r.env {
		env = append(env, w.text(variable))
	}
	return env
}

// run returns what was told to servers and proxies, and how the program failed: requests are answered 404, of which neither makes a
// refusal of the kubeconfig.
func (w *world) run(t *testing.T, env []string, program string, args ...string) (told []string, failed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), check.Patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Env, command.Dir = env, w.dir
	output, err := command.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%s %q hangs: %s", program, args, output)
	}
	if err != nil {
		failed = fmt.Sprintf("%v: %s", err, output)
	}
	return w.take(), failed
}
