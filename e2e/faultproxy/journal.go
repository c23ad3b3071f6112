package faultproxy

import (
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Request is one that arrived at a proxy, and what came of it. Body and Answer are not to be changed.
type Request struct {
	Client   string
	Method   string
	Path     string
	Query    url.Values
	Body     []byte
	Began    time.Time // it had arrived here, whole
	Sent     time.Time // it went on to the server; zero: it never did
	Answered time.Time // the server had answered; zero: it had not, or was not asked
	Code     int       // what the server answered; 0: it did not
	Answer   []byte    // with which words; none of a watch
	// Delivered: the client was given the server's answer.
	Delivered bool
	Ended     bool
}

// IsWatch says whether its answer is a stream.
func (r *Request) IsWatch() bool {
	watch := r.Query.Get("watch")
	return r.Method == http.MethodGet && (watch == "1" || watch == "true")
}

// IsWrite says whether it asks for a change.
func (r *Request) IsWrite() bool { return r.Method != http.MethodGet }

// Succeeded says whether the server carried it out.
func (r *Request) Succeeded() bool { return r.Code >= 200 && r.Code < 300 }

// Journal is what went by, of any number of proxies. Its memory is not bounded: it lasts as long as a case.
type Journal struct {
	mutex    sync.Mutex
	requests []*Request
}

// All is what went by so far, in the order of arrival.
func (j *Journal) All() []Request {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	all := make([]Request, 0, len(j.requests))
	for _, request := range j.requests {
		all = append(all, *request)
	}
	slices.SortStableFunc(all, func(a, b Request) int { return a.Began.Compare(b.Began) })
	return all
}

func (j *Journal) begin(request *Request) *Request {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.requests = append(j.requests, request)
	return request
}

func (j *Journal) note(request *Request, change func(*Request)) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	change(request)
}

func (j *Journal) end(request *Request) {
	j.note(request, func(r *Request) { r.Ended = true })
}
