package load

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// holding is a server of streams that all write a line, of any size, for each trigger.
type holding struct {
	*Server
	trigger []chan string
	streams atomic.Int32
}

func hold(t *testing.T, streams int) *holding {
	h := &holding{}
	for range streams {
		h.trigger = append(h.trigger, make(chan string))
	}
	h.Server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		mine := h.trigger[h.streams.Add(1)-1]
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case text, ok := <-mine:
				if !ok {
					return
				}
				_, _ = w.Write([]byte(text))
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	return h
}

func (h *holding) all(text string) {
	for _, each := range h.trigger {
		each <- text
	}
}

func open(t *testing.T, h *holding, connections int) *Fan {
	t.Helper()
	fan, err := h.OpenFan(t.Context(), make([]string, len(h.trigger)), connections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fan.Close)
	return fan
}

func expect(t *testing.T, fan *Fan, lines int) *Round {
	t.Helper()
	round, err := fan.Expect(lines)
	if err != nil {
		t.Fatal(err)
	}
	return round
}

// came waits until so many lines have come in all.
func came(t *testing.T, fan *Fan, lines int64) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); fan.lines.Load() < lines; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d of %d lines came", fan.lines.Load(), lines)
		}
	}
}

func TestFanCountsLinesOfAllStreams(t *testing.T) {
	h := hold(t, 40)
	fan := open(t, h, 4)
	for _, line := range []string{"short\n", strings.Repeat("long", 20_000) + "\n"} {
		began, round := time.Now(), expect(t, fan, 40)
		h.all(line)
		got, err := round.Wait(t.Context())
		if err != nil || got.First.Before(began) || got.Last.Before(got.First) || got.Bytes != int64(40*len(line)) {
			t.Errorf("a round of %d bytes from %s is %+v, %v", 40*len(line), began, got, err)
		}
	}
	if err := fan.Quiet(); err != nil {
		t.Error(err)
	}
}

func TestFanSaysWhatIsMissing(t *testing.T) {
	h := hold(t, 3)
	fan := open(t, h, 1)
	round := expect(t, fan, 4)
	h.all("one\n")
	came(t, fan, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := round.Wait(ctx); err == nil || !strings.Contains(err.Error(), "3 of 4 lines") {
		t.Errorf("got %v", err)
	}
}

func TestFanRefusesWhatNobodyWaitedFor(t *testing.T) {
	h := hold(t, 2)
	fan := open(t, h, 2)
	round := expect(t, fan, 1)
	h.all("one\n")
	if _, err := round.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	came(t, fan, 2)
	if _, err := fan.Expect(1); err == nil {
		t.Error("a second line passed")
	}
}

func TestFanNoticesAnEndedStream(t *testing.T) {
	h := hold(t, 2)
	fan := open(t, h, 1)
	round := expect(t, fan, 1)
	close(h.trigger[1])
	if _, err := round.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "the stream ended") {
		t.Errorf("got %v", err)
	}
	if err := fan.Quiet(); err == nil {
		t.Error("an ended stream is quiet")
	}
}

func TestEachReturnsTheFirstErrorAndCountsTheOthers(t *testing.T) {
	for _, test := range []struct {
		failing []int
		want    string
	}{
		{nil, "<nil>"},
		{[]int{3}, "no 3"},
		{[]int{9, 2, 5}, "no 2 (and 2 more)"},
	} {
		err := each(10, func(i int) error {
			if slices.Contains(test.failing, i) {
				return fmt.Errorf("no %d", i)
			}
			return nil
		})
		if got := fmt.Sprint(err); got != test.want {
			t.Errorf("failing %v: got %q, want %q", test.failing, got, test.want)
		}
	}
}
