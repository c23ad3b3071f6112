package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports come from below the kernel's range for outgoing connections. A port from that range could be taken by any
// client while its server is down for a restart; a client retrying it could even connect to itself.
const (
	firstPort = 20000
	lastPort  = 31999
)

var ports = struct {
	sync.Mutex
	given map[int]bool
}{given: map[int]bool{}}

// freePort returns a loopback port that nothing listens on and that was not given out before.
func freePort() (int, error) {
	ports.Lock()
	defer ports.Unlock()
	for range 1000 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if ports.given[port] {
			continue
		}
		listener, err := net.Listen("tcp", loopback(port))
		if err != nil {
			continue
		}
		listener.Close()
		ports.given[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// FreeAddress returns a loopback address with a port that nothing listens on and that was not given out before.
func FreeAddress() (string, error) {
	port, err := freePort()
	return loopback(port), err
}
