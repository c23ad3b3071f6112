// Package apart has clients, servers and attackers in processes of their own, which are further runs of the program itself. Beside an
// attack's goroutines well-behaved clients would wait for these, which is none of the server's doing.
package apart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// env makes a program play a part.
const env = "STEWARD_APART"

// part is what a process is: one of these.
type part struct {
	Client *Client `json:",omitempty"`
	Static *static `json:",omitempty"`
	Attack *Attack `json:",omitempty"`
}

// Play is the process apart: a program that starts such calls it first. It returns if this is none of them.
func Play() {
	told := os.Getenv(env)
	if told == "" {
		return
	}
	if err := play(told); err != nil {
		fmt.Fprintln(os.Stderr, "apart:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func play(told string) error {
	var p part
	if err := json.Unmarshal([]byte(told), &p); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	out := json.NewEncoder(os.Stdout)
	switch {
	case p.Static != nil:
		return p.Static.serve(ended, out)
	case p.Attack != nil:
		return p.Attack.play(ended, out)
	case p.Client != nil && p.Client.Every > 0:
		return p.Client.askSteadily(ended, out)
	case p.Client != nil:
		return p.Client.ask(ended, out)
	}
	return errors.New("no part to play")
}

// start starts the process, whose standard input ends with the context, or with this program.
func start(ctx context.Context, p part) (*exec.Cmd, *json.Decoder, error) {
	told, err := json.Marshal(p)
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), env+"="+string(told))
	child.Stderr = os.Stderr
	// A group of its own, for its priority is the group's.
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := child.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := child.Start(); err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, func() { in.Close() })
	return child, json.NewDecoder(out), nil
}
