package apart

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Play()
	os.Exit(m.Run())
}

// A server that hangs once holds up those that are due meanwhile, and all of them say so; later ones it does not.
func TestASteadyClientSeesAHangingServer(t *testing.T) {
	const every, hangs, count = 20 * time.Millisecond, 400 * time.Millisecond, 40
	var asked atomic.Int32
	free := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if asked.Add(1) == 5 {
			time.AfterFunc(hangs, func() { close(free) })
		}
		if asked.Load() >= 5 {
			<-free
		}
	}))
	defer server.Close()
	client := Client{Host: server.URL, Paths: []string{"/"}, Every: every, Count: count, Patience: 10 * time.Second}
	took := client.Meanwhile(t.Context(), func(err error) { t.Error(err) })
	slow := 0
	for _, each := range took {
		if each < 0 {
			t.Errorf("a request took %s", each)
		}
		if each > hangs/2 {
			slow++
		}
	}
	if len(took) != count || slow < 5 {
		t.Errorf("%d requests, of which %d waited", len(took), slow)
	}
}

func TestAStaticServerServesUntilItIsStopped(t *testing.T) {
	client, pid, stop, err := Serve(t.Context(), t.TempDir(), "content")
	if err != nil || pid == 0 {
		t.Fatal(pid, err)
	}
	client.Patience, client.Count, client.Pause = 10*time.Second, 3, 0
	if took := client.Meanwhile(t.Context(), func(err error) { t.Error(err) }); len(took) != 3 {
		t.Errorf("%d requests", len(took))
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	failed := 0
	client.Meanwhile(t.Context(), func(error) { failed++ })
	if failed == 0 {
		t.Error("it serves on")
	}
}

// An attack on a server that takes everything ends when it is told to, and says what it has done. Its priority is its own.
func TestAnAttackSaysWhatItHasDone(t *testing.T) {
	tokens := make(chan struct{}, 1000)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		if r.Header.Get("Authorization") == "" {
			return
		}
		select {
		case tokens <- struct{}{}:
		default:
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	defer server.CloseClientConnections()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	before, err := syscall.Getpriority(syscall.PRIO_PGRP, 0)
	if err != nil {
		t.Fatal(err)
	}
	attack := Attack{Address: server.Listener.Addr().String(), ListPath: "/list", WatchPath: "/watch", Flood: 2 * floods, SlowReader: 1, Nice: 3}
	pid, end, err := attack.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// 500 are shown at a time, so that of so many some are answered.
	for range cap(tokens) {
		select {
		case <-tokens:
		case <-ctx.Done():
			t.Fatal("the attackers show no tokens")
		}
	}
	// The system call says 20 less the priority.
	if nice, err := syscall.Getpriority(syscall.PRIO_PGRP, pid); err != nil || nice != before-3 {
		t.Errorf("the attackers' priority is %d, %v", 20-nice, err)
	}
	if after, err := syscall.Getpriority(syscall.PRIO_PGRP, 0); err != nil || after != before {
		t.Errorf("the program's own priority was %d and is %d, %v", 20-before, 20-after, err)
	}
	done, err := end()
	if err != nil || done.Connections == 0 || done.Tokens[http.StatusUnauthorized] == 0 {
		t.Errorf("got %v, %v", done, err)
	}
}
