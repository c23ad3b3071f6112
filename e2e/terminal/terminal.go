// Package terminal has pseudo-terminals, for programs that ask and redraw only in a terminal.
package terminal

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// Open makes a pseudo-terminal of this size: our side, and the program's.
func Open(rows, columns uint16) (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	var number, unlock int32
	size := [4]uint16{rows, columns}
	for request, argument := range map[uintptr]unsafe.Pointer{
		syscall.TIOCSPTLCK: unsafe.Pointer(&unlock), syscall.TIOCGPTN: unsafe.Pointer(&number), syscall.TIOCSWINSZ: unsafe.Pointer(&size),
	} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), request, uintptr(argument)); errno != 0 {
			return nil, nil, errno
		}
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	return ours, theirs, err
}

var token = regexp.MustCompile(`\x1b\[([0-9;]*)([A-Za-z])|\n|[^\x1b\r\n]+`)

// Screen is what stands in a terminal after this output, line by line: of a program that only moves up to the beginning of
// a line, and clears everything from there on.
func Screen(output string) []string {
	lines, row := []string{""}, 0
	for _, each := range token.FindAllStringSubmatch(output, -1) {
		switch {
		case each[0] == "\n":
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
		case each[2] == "A":
			up, _ := strconv.Atoi(each[1])
			row = max(0, row-max(1, up))
		case each[2] == "J":
			lines = append(lines[:row], "")
		case each[2] == "": // text; colours do not count
			lines[row] += each[0]
		}
	}
	return strings.Split(strings.TrimRight(strings.Join(lines, "\n"), "\n"), "\n")
}
