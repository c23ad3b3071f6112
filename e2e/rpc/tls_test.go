package rpc_test

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"steward.dev/e2e/cluster"
)

// What the flags of TLS leave out is spoken at no port of the two programs: a handshake is what says it.
func TestTLS_WhatIsSpoken(t *testing.T) {
	client, err := authority.Client(shared.Dir, "tls-client", "somebody")
	must(t, err)
	pair, err := tls.LoadX509KeyPair(client.Cert, client.Key)
	must(t, err)
	server, err := authority.Server(shared.Dir, "tls-server", "localhost")
	must(t, err)
	const aes128, aes256 = tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
	const rsa128, rsa256 = tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
	weak := &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{aes128, rsa128}}
	strong := &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{aes256, rsa256}}
	rows := []struct {
		name           string
		flags          []string
		spoken, denied []*tls.Config
	}{
		{"default", nil, []*tls.Config{{MaxVersion: tls.VersionTLS12}, {MinVersion: tls.VersionTLS13}, weak, strong},
			[]*tls.Config{{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}}},
		{"version", []string{"--tls-min-version=VersionTLS13"}, []*tls.Config{{MinVersion: tls.VersionTLS13}, {}},
			[]*tls.Config{{MaxVersion: tls.VersionTLS12}}},
		{"ciphers", []string{"--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
			[]*tls.Config{strong, {}}, []*tls.Config{weak}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			address, err := cluster.FreeAddress()
			must(t, err)
			controllers, err := shared.RunControllersAs(t.Context(), account, "tls-controllers-"+row.name, append([]string{
				"--reconcilers=cleanup", "--leader-elect=false", "--metrics-secure=true", "--grpc-bind-address=" + address,
				"--grpc-tls-cert-file=" + server.Cert, "--grpc-tls-private-key-file=" + server.Key,
				"--grpc-client-ca-file=" + filepath.Join(shared.Dir, "rpc-ca.crt")}, row.flags...)...)
			must(t, err)
			t.Cleanup(func() { must(t, controllers.Stop()) })
			api, err := shared.NewSteward("tls-steward-" + row.name)
			must(t, err)
			api.Kubeconfig = steward.Kubeconfig
			must(t, api.Start(row.flags...))
			t.Cleanup(func() { must(t, api.Stop()) })
			must(t, api.WaitReady(t.Context()))
			for listener, at := range map[string]string{
				"metrics": controllers.MetricsAddress(), "gRPC": address, "API server": fmt.Sprintf("127.0.0.1:%d", api.Port),
			} {
				for _, config := range row.spoken {
					if err := shakeHands(at, config, pair); err != nil {
						t.Errorf("%s, %s: %v", listener, versions(config), err)
					}
				}
				for _, config := range row.denied {
					if err := shakeHands(at, config, pair); err == nil {
						t.Errorf("%s, %s: is spoken", listener, versions(config))
					}
				}
			}
		})
	}
}

func versions(config *tls.Config) string {
	return fmt.Sprintf("%s to %s, %d ciphers", tls.VersionName(config.MinVersion), tls.VersionName(config.MaxVersion), len(config.CipherSuites))
}

// shakeHands is nil if both sides have agreed.
func shakeHands(address string, config *tls.Config, pair tls.Certificate) error {
	config = config.Clone()
	config.InsecureSkipVerify = true
	config.NextProtos = []string{"h2"}
	config.Certificates = []tls.Certificate{pair}
	dialer := &tls.Dialer{Config: config}
	connection, err := dialer.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer connection.Close()
	// In TLS 1.3 a server refuses after the client's last word.
	if err := connection.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	if _, err := connection.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
		return err
	}
	_, err = connection.Read(make([]byte, 1))
	return err
}
