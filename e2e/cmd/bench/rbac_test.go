package main

import (
	"testing"
	"time"
)

func TestWritten(t *testing.T) {
	w := &written{
		objects: 10, took: []time.Duration{time.Second, 2 * time.Second},
		requests: map[string]int{"GET roles": 1, "POST roles": 10, "POST rolebindings": 10, "PUT roles": 4},
	}
	if rates := w.rates(); len(rates) != 2 || rates[0] != 10 || rates[1] != 5 {
		t.Errorf("the rates are %v", rates)
	}
	if asked := w.asked().Median(); asked != 2.5 {
		t.Errorf("%v requests for each", asked)
	}
	if text := w.often(); text != "10 × POST rolebindings, 10 × POST roles, 4 × PUT roles, 1 × GET roles" {
		t.Errorf("got %q", text)
	}
}

func TestIsAsked(t *testing.T) {
	for name, want := range map[string]bool{
		"POST roles": true, "dry POST roles": true, "PUT installplans/status": true,
		"PUT leases": false, "WATCH roles": false, "GET /openapi/v3": false, "GET ": false,
	} {
		if isAsked(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
