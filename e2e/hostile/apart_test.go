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
	// Pause is between two lists.
	Pause time.Duration
}

// listed is one list of the user apart.
type listed struct {
	Began time.Time
	Took  time.Duration
	Error string
}

// meanwhile lists in a process apart until the context ends, and returns how long each list took.
func (u *user) meanwhile(ctx context.Context, what string, failures *failures) []time.Duration {
	apart, err := u.apart(ctx, 0)
	if err != nil {
		failures.add(what+", from a process apart", err)
		return nil
	}
	var took []time.Duration
	for _, one := range apart.lists(what, failures) {
		took = append(took, one.Took)
	}
	return took
}

// apart is a user's process, which lists all the time.
type apart struct {
	child *exec.Cmd
	out   *json.Decoder
}

// apart starts the process; it ends with the context.
func (u *user) apart(ctx context.Context, pause time.Duration) (*apart, error) {
	told, err := json.Marshal(access{u.config.Host, u.config.TLSClientConfig, pause})
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
	return &apart{child, json.NewDecoder(out)}, nil
}

// lists are all that it makes; that is when it has ended.
func (a *apart) lists(what string, failures *failures) []listed {
	var all []listed
	for {
		var one listed
		if err := a.out.Decode(&one); err != nil {
			if !errors.Is(err, io.EOF) {
				failures.add(what, err)
			}
			failures.add(what+", from a process apart", a.child.Wait())
			return all
		}
		if one.Error != "" {
			failures.add(what, errors.New(one.Error))
		}
		all = append(all, one)
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
	out := json.NewEncoder(os.Stdout)
	for {
		select {
		case <-ended:
			return nil
		case <-time.After(mine.Pause):
		}
		began := time.Now()
		took, err := u.list()
		one := listed{Began: began, Took: took}
		if err != nil {
			one.Error = fmt.Sprint(err)
		}
		if err := out.Encode(one); err != nil {
			return err
		}
	}
}
