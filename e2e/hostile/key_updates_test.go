package hostile

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"steward.dev/e2e/check"
)

func init() { attacks["keys that change all the time"] = changingKeys }

// The server hangs up by itself, however long its client would wait.
func TestKeyUpdates(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), check.Patience)
	defer stop()
	err := updateKeys(ctx, 20_000)
	if ctx.Err() != nil {
		t.Fatal("the server takes all the keys that it is given")
	}
	t.Logf("the end of the connection: %v", err)
	beside(t, changingKeys(t))
}

// changingKeys are strangers' who change them all the time, which is no request and costs the server as much as a short one.
func changingKeys(*testing.T) assault {
	return func(ctx context.Context) {
		flood(ctx, 8, func(int) {
			if err := updateKeys(ctx, 20_000); err != nil {
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// updateKeys changes the keys of a connection so many times, in one flight, and waits for the server's answer: its end.
func updateKeys(ctx context.Context, times int) error {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	raw, err := dialer.DialContext(ctx, "tcp", address())
	if err != nil {
		return err
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	var keyLog strings.Builder
	connection := tls.Client(raw, &tls.Config{
		InsecureSkipVerify: true,
		MinVersion:         tls.VersionTLS13,
		NextProtos:         []string{"http/1.1"},
		KeyLogWriter:       &keyLog,
	})
	if err := connection.HandshakeContext(ctx); err != nil {
		return err
	}
	flight, err := keyUpdates(connection.ConnectionState().CipherSuite, keyLog.String(), times)
	if err != nil {
		return err
	}
	if _, err := raw.Write(flight); err != nil {
		return err
	}
	_, err = raw.Read(make([]byte, 1))
	return err
}

// keyUpdates are the first records of a client that has sent no data yet (RFC 8446 sections 4.6.3, 5.2 and 7.2): crypto/tls
// sends none by itself.
func keyUpdates(suite uint16, keyLog string, times int) ([]byte, error) {
	if suite != tls.TLS_AES_128_GCM_SHA256 {
		return nil, fmt.Errorf("the server has chosen %s", tls.CipherSuiteName(suite))
	}
	secret, err := clientSecret(keyLog)
	if err != nil {
		return nil, err
	}
	// Key update, of one byte: the other side need not do the same. Then the record's true type, a handshake's message.
	plain := []byte{24, 0, 0, 1, 0, 22}
	const tag = 16
	header := []byte{23, 3, 3, 0, byte(len(plain) + tag)}
	var flight []byte
	for range times {
		key, err := expandLabel(secret, "key", 16)
		if err != nil {
			return nil, err
		}
		nonce, err := expandLabel(secret, "iv", 12)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		sealing, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		// Each is the first record under its key: the nonce is as it was derived.
		flight = append(flight, header...)
		flight = sealing.Seal(flight, nonce, plain, header)
		if secret, err = expandLabel(secret, "traffic upd", sha256.Size); err != nil {
			return nil, err
		}
	}
	return flight, nil
}

func clientSecret(keyLog string) ([]byte, error) {
	for line := range strings.Lines(keyLog) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "CLIENT_TRAFFIC_SECRET_0" {
			return hex.DecodeString(fields[2])
		}
	}
	return nil, errors.New("no secret was logged")
}

func expandLabel(secret []byte, label string, length int) ([]byte, error) {
	full := "tls13 " + label
	info := binary.BigEndian.AppendUint16(nil, uint16(length))
	info = append(info, byte(len(full)))
	info = append(info, full...)
	info = append(info, 0)
	return hkdf.Expand(sha256.New, secret, string(info), length)
}
