package kubeconfigs

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

var must = check.Must

// The names under which the proxies find the servers. Nobody else knows them.
const (
	clusterName = "cluster.test:6443"
	plainName   = "plain.test:8001"
)

// world is an API server with TLS, one without, and three proxies. They write down who said what.
type world struct {
	dir   string
	ca    *cluster.Authority
	other *cluster.Authority // trusted by nobody

	tls, plain                net.Addr
	http, https, socks        string // proxies, as URLs
	httpAddr, httpAddrSecrets string // the first, as host:port and with credentials before it

	mutex sync.Mutex
	seen  map[string]bool
}

func newWorld(t *testing.T) *world {
	w := &world{dir: t.TempDir(), seen: map[string]bool{}}
	var err error
	w.ca, err = cluster.NewAuthority("ca")
	must(t, err)
	w.other, err = cluster.NewAuthority("other")
	must(t, err)
	_, err = w.ca.Write(w.dir, "ca")
	must(t, err)
	_, err = w.other.Write(w.dir, "other")
	must(t, err)
	_, err = w.ca.Client(w.dir, "client", "jane", "ops")
	must(t, err)
	_, err = w.ca.Client(w.dir, "robot", "robot")
	must(t, err)
	pair, err := w.ca.Server(w.dir, "server", "kubernetes", "localhost", "cluster.test")
	must(t, err)
	certificate, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	must(t, err)
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequestClientCert}

	listen := func() net.Listener {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { listener.Close() })
		return listener
	}
	serve := func(listener net.Listener, handler http.HandlerFunc) {
		server := &http.Server{Handler: handler, ErrorLog: nil}
		t.Cleanup(func() { server.Close() })
		go server.Serve(listener)
	}
	encrypted, plain := listen(), listen()
	w.tls, w.plain = encrypted.Addr(), plain.Addr()
	serve(tls.NewListener(encrypted, config), w.answer("TLS"))
	serve(plain, w.answer("plain"))
	httpProxy, httpsProxy, socksProxy := listen(), listen(), listen()
	serve(httpProxy, w.forward("http proxy"))
	serve(tls.NewListener(httpsProxy, config), w.forward("https proxy"))
	go w.serveSocks(socksProxy)
	w.httpAddr = httpProxy.Addr().String()
	w.http = "http://" + w.httpAddr
	w.https = "https://" + httpsProxy.Addr().String()
	w.socks = socksProxy.Addr().String()
	return w
}

func (w *world) note(format string, args ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.seen[fmt.Sprintf(format, args...)] = true
}

// take returns what was written down since the last time: each line once, since the two programs ask different questions.
func (w *world) take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	lines := []string{}
	for line := range w.seen {
		lines = append(lines, line)
	}
	sort.Strings(lines)
	w.seen = map[string]bool{}
	return lines
}

// answer writes down what a request says of who makes it. Path and User-Agent are the program's own.
func (w *world) answer(server string) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		who := []string{server, "host=" + request.Host}
		if request.TLS != nil {
			who = append(who, "sni="+request.TLS.ServerName)
			for _, certificate := range request.TLS.PeerCertificates[:min(1, len(request.TLS.PeerCertificates))] {
				who = append(who, "certificate="+certificate.Subject.CommonName)
			}
		}
		who = append(who, "prefix="+prefixOf(request.URL.Path))
		names := []string{}
		for name := range request.Header {
			if name == "Authorization" || name == "Proxy-Authorization" || strings.HasPrefix(name, "Impersonate-") {
				names = append(names, name)
			}
		}
		sort.Strings(names)
		for _, name := range names {
			for _, value := range request.Header[name] {
				who = append(who, readable(name)+"="+told(value))
			}
		}
		w.note("%s", strings.Join(who, " "))
		response.Header().Set("Content-Type", "application/json")
		response.WriteHeader(http.StatusNotFound)
		io.WriteString(response, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"nothing is here"}`)
	}
}

func prefixOf(path string) string {
	if strings.HasPrefix(path, "/prefix/") {
		return "/prefix"
	}
	return ""
}

// readable is a header's name as the kube-apiserver reads it.
func readable(name string) string {
	const extra = "Impersonate-Extra-"
	if !strings.HasPrefix(name, extra) {
		return name
	}
	key := strings.ToLower(name[len(extra):])
	if decoded, err := url.PathUnescape(key); err == nil {
		key = decoded
	}
	return extra + key
}

// told is a header's value; of a token that a plugin made of what it was told, that, with its fields in one order.
func told(value string) string {
	const made = "Bearer info."
	if !strings.HasPrefix(value, made) {
		return value
	}
	text, err := base64.RawURLEncoding.DecodeString(value[len(made):])
	if err != nil {
		return value
	}
	var info any
	if err := json.Unmarshal(text, &info); err != nil {
		return value
	}
	sorted, _ := json.Marshal(info)
	return made + string(sorted)
}

func (w *world) addressOf(name string) string {
	switch name {
	case clusterName:
		return w.tls.String()
	case plainName:
		return w.plain.String()
	}
	return ""
}

// forward is an HTTP proxy.
func (w *world) forward(proxy string) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		w.note("%s: %s %s %s", proxy, request.Method, request.Host, request.Header.Get("Proxy-Authorization"))
		address := w.addressOf(request.Host)
		if address == "" {
			http.Error(response, "no such host", http.StatusBadGateway)
			return
		}
		if request.Method != http.MethodConnect {
			request.Header.Del("Proxy-Authorization")
			outgoing, err := http.NewRequest(request.Method, "http://"+address+request.URL.RequestURI(), request.Body)
			if err == nil {
				outgoing.Header, outgoing.Host = request.Header, request.Host
				var answer *http.Response
				if answer, err = http.DefaultTransport.RoundTrip(outgoing); err == nil {
					defer answer.Body.Close()
					response.WriteHeader(answer.StatusCode)
					io.Copy(response, answer.Body)
					return
				}
			}
			http.Error(response, err.Error(), http.StatusBadGateway)
			return
		}
		connection, buffer, err := response.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(connection, "HTTP/1.1 200 Connection established\r\n\r\n")
		join(connection, buffer.Reader, address)
	}
}

func join(client net.Conn, reader io.Reader, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		io.Copy(server, reader)
		server.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(client, server)
}

// serveSocks is a SOCKS 5 proxy (RFC 1928) that takes a password if it is offered one (RFC 1929).
func (w *world) serveSocks(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			if err := w.socksOn(connection); err != nil {
				connection.Close()
			}
		}()
	}
}

func (w *world) socksOn(connection net.Conn) error {
	reader := bufio.NewReader(connection)
	read := func(n int) []byte {
		bytes := make([]byte, n)
		io.ReadFull(reader, bytes)
		return bytes
	}
	read(1)
	methods := string(read(int(read(1)[0])))
	login := ""
	if strings.Contains(methods, "\x02") {
		connection.Write([]byte{5, 2})
		read(1)
		login = string(read(int(read(1)[0])))
		login += ":" + string(read(int(read(1)[0])))
		connection.Write([]byte{1, 0})
	} else {
		connection.Write([]byte{5, 0})
	}
	if read(3); read(1)[0] != 3 {
		return fmt.Errorf("no name")
	}
	name := string(read(int(read(1)[0])))
	port := read(2)
	target := fmt.Sprintf("%s:%d", name, int(port[0])<<8|int(port[1]))
	w.note("socks proxy: %s %s", target, login)
	address := w.addressOf(target)
	if address == "" {
		_, err := connection.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0})
		return fmt.Errorf("no such host: %w", err)
	}
	connection.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	join(connection, reader, address)
	return nil
}

// text fills in what a kubeconfig of a case leaves open.
func (w *world) text(pattern string) string {
	return strings.NewReplacer(
		"{tls}", w.tls.String(), "{plain}", w.plain.String(), "{dir}", w.dir,
		"{http}", w.http, "{https}", w.https, "{socks}", w.socks, "{proxy}", w.httpAddr,
		"{ca64}", base64.StdEncoding.EncodeToString(w.ca.PEM)).Replace(pattern)
}

func (w *world) file(name string) string { return filepath.Join(w.dir, name) }
