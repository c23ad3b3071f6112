package faultproxy

import (
	"fmt"
	"net/http"
	"time"
)

// Fault is what becomes of an exchange, instead of Pass and Deliver.
type Fault func(*Exchange)

// Fail answers with an error of the API server's; it is not asked.
func Fail(code int) Fault {
	return func(x *Exchange) {
		reason := map[int]string{
			http.StatusConflict:            "Conflict",
			http.StatusTooManyRequests:     "TooManyRequests",
			http.StatusInternalServerError: "InternalError",
			http.StatusForbidden:           "Forbidden",
			http.StatusGatewayTimeout:      "Timeout",
			http.StatusGone:                "Expired",
		}[code]
		x.w.Header().Set("Content-Type", "application/json")
		if code == http.StatusTooManyRequests {
			x.w.Header().Set("Retry-After", "1")
		}
		x.w.WriteHeader(code)
		fmt.Fprintf(x.w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"made to fail","reason":%q,"code":%d}`,
			reason, code)
	}
}

// Lose has the server carry out the request, and the answer get lost.
func Lose() Fault { return LoseAfter(func() {}) }

// LoseAfter does something between the server's having carried out the request and the loss of its answer.
func LoseAfter(do func()) Fault {
	return func(x *Exchange) {
		x.Pass()
		do()
		panic(http.ErrAbortHandler)
	}
}

// Drop ends the connection; the server never sees the request.
func Drop() Fault { return DropAfter(func() {}) }

// DropAfter does something before: the request has left the client, and will not arrive.
func DropAfter(do func()) Fault {
	return func(*Exchange) {
		do()
		panic(http.ErrAbortHandler)
	}
}

// Hang gives no answer for as long as the client waits; the server never sees the request.
func Hang() Fault {
	return func(x *Exchange) {
		<-x.Gone()
		panic(http.ErrAbortHandler)
	}
}

// After does something first, and then lets the request through.
func After(do func()) Fault {
	return func(x *Exchange) {
		do()
		x.Pass()
		x.Deliver()
	}
}

// Slow lets requests through after some time each.
func Slow(by time.Duration) Fault { return After(func() { time.Sleep(by) }) }
