package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"k8s.io/client-go/rest"
)

// apartEnv makes this test binary a user in a process of their own, and has their access. Beside an attack's goroutines the
// user's would wait for these, which is none of the server's doing.
const apartEnv = "STEWARD_HOSTILE_USER"

type access struct {
	Host string
	TLS  rest.TLSClientConfig
}

// listed is one list of the user apart.
type listed struct {
	Took  time.Duration
	Error string
}

// meanwhile lists in a process apart until the context ends, and returns how long each list took.
func (u *user) meanwhile(ctx context.Context, what string, failures *failures) []time.Duration {
	took, err := u.listApart(ctx, func(err error) { failures.add(what, err) })
	failures.add(what+", from a process apart", err)
	return took
}

func (u *user) listApart(ctx context.Context, failed func(error)) ([]time.Duration, error) {
	told, err := json.Marshal(access{u.config.Host, u.config.TLSClientConfig})
	if err != nil {
		return nil, err
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), apartEnv+"="+string(told))
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { in.Close() })
	var all []time.Duration
	for lists := json.NewDecoder(out); ; {
		var one listed
		if err := lists.Decode(&one); err != nil {
			if !errors.Is(err, io.EOF) {
				failed(err)
			}
			return all, child.Wait()
		}
		if one.Error != "" {
			failed(errors.New(one.Error))
		}
		all = append(all, one.Took)
	}
}

// listForParent is the process apart: it ends with its standard input.
func listForParent(told string) error {
	var mine access
	if err := json.Unmarshal([]byte(told), &mine); err != nil {
		return err
	}
	config := &rest.Config{Host: mine.Host, TLSClientConfig: mine.TLS}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	u := &user{client, config}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for out := json.NewEncoder(os.Stdout); ; {
		select {
		case <-ended:
			return nil
		default:
		}
		took, err := u.list()
		one := listed{Took: took}
		if err != nil {
			one.Error = fmt.Sprint(err)
		}
		if err := out.Encode(one); err != nil {
			return err
		}
	}
}
