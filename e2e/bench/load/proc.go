// Package load asks servers for much, and reads from /proc what that costs them.
package load

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc: USER_HZ, which is 100 on every Linux there is.
const tick = 10 * time.Millisecond

// Memory is what a process has in RAM, in bytes.
type Memory struct {
	Resident int64 // now
	Peak     int64 // the most since it started
}

// MemoryOf reads /proc of a process.
func MemoryOf(pid int) (Memory, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Memory{}, err
	}
	return parseStatus(string(text))
}

func parseStatus(text string) (memory Memory, err error) {
	if memory.Resident, err = statusField(text, "VmRSS:"); err != nil {
		return memory, err
	}
	memory.Peak, err = statusField(text, "VmHWM:")
	return memory, err
}

// statusField is a size of /proc/PID/status ("VmRSS:	  1234 kB"), in bytes.
func statusField(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, name)
		if !found {
			continue
		}
		number, isKilobytes := strings.CutSuffix(strings.TrimSpace(rest), " kB")
		size, err := strconv.ParseInt(number, 10, 64)
		if err != nil || !isKilobytes {
			return 0, fmt.Errorf("cannot read %q", line)
		}
		return size << 10, nil
	}
	return 0, fmt.Errorf("no %s in /proc/PID/status", name)
}

// cpuOf is the CPU time, user and system, that a process has used, its ended threads included.
func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(text))
}

// parseStat reads utime and stime, the 14th and 15th field. The second, the program's name in parentheses, may hold
// anything, blanks and parentheses too.
func parseStat(text string) (time.Duration, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("cannot read %q", text)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, err
}

// busy is the CPU time that all processors together have spent on anything since boot.
func busy() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	return parseBusy(string(text))
}

// parseBusy adds up the first line of /proc/stat, except idle and iowait (4th and 5th), and except guest times (9th and
// 10th), which user times already hold.
func parseBusy(text string) (time.Duration, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, fmt.Errorf("cannot read %q", line)
	}
	sum := int64(0)
	for i, field := range fields[1:9] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		if i != 3 && i != 4 {
			sum += ticks
		}
	}
	return time.Duration(sum) * tick, nil
}
