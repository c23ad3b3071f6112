package terminal

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
)

// Session is a program that runs in a pseudo-terminal.
type Session struct {
	Cmd *exec.Cmd
	// Done is closed at its end.
	Done chan struct{}

	ours   *os.File
	mutex  sync.Mutex
	output bytes.Buffer
}

// Start runs a command in a terminal of this size. Close ends it.
func Start(cmd *exec.Cmd, rows, columns uint16) (*Session, error) {
	ours, theirs, err := Open(rows, columns)
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	s := &Session{Cmd: cmd, Done: make(chan struct{}), ours: ours}
	read := make(chan struct{})
	go func() { s.read(); close(read) }()
	go func() { _ = cmd.Wait(); <-read; close(s.Done) }()
	return s, nil
}

func (s *Session) read() {
	chunk := make([]byte, 4096)
	for {
		n, err := s.ours.Read(chunk)
		s.mutex.Lock()
		s.output.Write(chunk[:n])
		s.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

// Output is all that came to the terminal so far, with what was typed.
func (s *Session) Output() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.output.String()
}

// Type is the user's part.
func (s *Session) Type(text string) error {
	_, err := s.ours.WriteString(text)
	return err
}

// Close kills what still runs.
func (s *Session) Close() {
	_ = s.Cmd.Process.Kill()
	<-s.Done
	_ = s.ours.Close()
}
