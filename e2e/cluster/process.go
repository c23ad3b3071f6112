package cluster

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Process is one child process. It writes to a log file, sits in a process group of its own (so that Ctrl-C in a
// terminal reaches only us, and we end the children in order), and is killed by the kernel should we die first.
type Process struct {
	Name string
	Log  string

	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it ended; read only after exited is closed
}

// spawner runs functions on one OS thread that lives as long as we do: the kernel sends a parent-death signal when
// the *thread* that forked ends, not the process.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// startProcess runs bin; its output is appended to the file log.
func startProcess(name, log, bin string, args ...string) (*Process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the child has its own descriptor

	p := &Process{Name: name, Log: log, cmd: exec.Command(bin, args...), exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	spawner() <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Exited is closed once the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Running says whether the process has not ended yet; a nil Process is not running.
func (p *Process) Running() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Stop asks the process to end, waits up to grace, then kills it. It returns once the process is gone, with an error
// if that took force or the process reported a failure. Dying of the SIGTERM itself is none: etcd does.
func (p *Process) Stop(grace time.Duration) error {
	if !p.Running() {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
		status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if p.err != nil && !(status.Signaled() && status.Signal() == syscall.SIGTERM) {
			return fmt.Errorf("%s: %w", p.Name, p.err)
		}
		return nil
	case <-time.After(grace):
		p.Kill()
		return fmt.Errorf("%s did not end within %s of SIGTERM", p.Name, grace)
	}
}

// Kill ends the process at once (kill -9) and waits until it is gone.
func (p *Process) Kill() {
	if p.Running() {
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

// Pause stops the process without ending it (a hanging server); Resume lets it go on.
func (p *Process) Pause() error  { return p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// ExitCode is how an ended process ended, -1 if by a signal.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// Pid is the id of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Tail is the end of the log.
func (p *Process) Tail(lines int) string { return tail(p.Log, lines) }

// failure describes a process that ended when it should not have.
func (p *Process) failure() error {
	return fmt.Errorf("%s ended early (%v); the end of its log:\n%s", p.Name, p.err, p.Tail(20))
}

// tail returns the last lines of a file, reading no more than its last 64 kB.
func tail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 64<<10 {
		_, _ = f.Seek(-64<<10, io.SeekEnd)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	all := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}
