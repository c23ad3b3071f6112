package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

func init() { attacks["resource versions that nobody was given"] = forgedNumbers }

// shortWatchPath lacks the number.
const shortWatchPath = watchPath + "&timeoutSeconds=1&resourceVersion="

// What clients ask of the past and the future makes the server ask the cluster no more often than docs/limits.md says.
func TestForgedNumbers(t *testing.T) {
	attack := forgedNumbers(t)
	before := listsOfSources(t)
	beside(t, attack)
	lists := listsOfSources(t) - before
	// One a second of each; a slow machine makes fewer.
	if most := 2 * int(attackTime/time.Second+2); lists > most {
		t.Errorf("the sources were listed %d times in %s, of at most %d", lists, attackTime, most)
	}
	t.Logf("the sources were listed %d times", lists)
}

// forgedNumbers are resourceVersions that nobody was given: of moments that have not come, of mixtures of what was. Many
// clients catch up from old ones, too.
func forgedNumbers(t *testing.T) assault {
	mallory := newTenant(t, "mallory")
	var crowd []*user
	for i := range 20 {
		crowd = append(crowd, newTenant(t, fmt.Sprintf("crowd-%d", i)))
	}
	known := history(t, mallory)
	return func(ctx context.Context) {
		var work sync.WaitGroup
		work.Go(func() { moveOn(ctx) })
		work.Go(func() {
			flood(ctx, 50, func(n int) {
				now, err := mallory.now(ctx)
				if err != nil {
					return
				}
				mallory.take(ctx, listPath+"?resourceVersion="+now.later(uint64(n%64)).String())
			})
		})
		work.Go(func() {
			flood(ctx, 50, func(n int) {
				some := func() packed { return known[rand.IntN(len(known))] }
				mixed := some().mixedWith(some(), some())
				switch n % 3 {
				case 0:
					mallory.take(ctx, listPath+"?resourceVersionMatch=Exact&resourceVersion="+mixed.String())
				case 1:
					mallory.take(ctx, shortWatchPath+mixed.String())
				default:
					mallory.take(ctx, strings.Replace(shortWatchPath, "/installedoperators", "/namespaces/default/installedoperators", 1)+mixed.String())
				}
			})
		})
		flood(ctx, 5*len(crowd), func(n int) {
			crowd[n%len(crowd)].take(ctx, shortWatchPath+known[0].String())
		})
		work.Wait()
	}
}

// history makes changes, and collects the numbers of the states between them.
func history(t *testing.T, u *user) (known []packed) {
	t.Helper()
	csvs, err := shared.Any.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{Limit: 1})
	must(t, err)
	for i := range 100 {
		csv := csvs.Items[0]
		body := fmt.Sprintf(`{"metadata":{"labels":{"forged":"%d"}}}`, i)
		_, err := shared.Any.Resource(olm.CSVs).Namespace(csv.GetNamespace()).Patch(t.Context(), csv.GetName(), types.MergePatchType,
			[]byte(body), metav1.PatchOptions{})
		must(t, err)
		now, err := u.now(t.Context())
		must(t, err)
		known = append(known, now)
	}
	return known
}

// moveOn writes what is no source of any list: the cluster's own number grows, so that a number above the server's need not
// be of the future.
func moveOn(ctx context.Context) {
	maps := shared.Kube.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "moves-on"}}
	_, _ = maps.Create(ctx, one, metav1.CreateOptions{})
	for n := 0; ctx.Err() == nil; n++ {
		one.Data = map[string]string{"n": strconv.Itoa(n)}
		_, _ = maps.Update(ctx, one, metav1.UpdateOptions{})
		time.Sleep(20 * time.Millisecond)
	}
	_ = maps.Delete(context.WithoutCancel(ctx), one.Name, metav1.DeleteOptions{})
}

// listsOfSources counts how often the server listed what it follows; but for namespaces, of which it lists one to learn how far
// the cluster is.
func listsOfSources(t *testing.T) int {
	t.Helper()
	return requestsToCluster(t, "LIST", "clusterserviceversions", "operatorgroups")
}

// requestsToCluster is how many the kube-apiserver has had of a verb for some resources, from everybody. Some there must be.
func requestsToCluster(t *testing.T, verb string, resources ...string) (count int) {
	t.Helper()
	text, err := shared.Kubectl(t.Context(), "get", "--raw", "/metrics")
	must(t, err)
	series := regexp.MustCompile(`(?m)^apiserver_request_total\{.*resource="(?:` + strings.Join(resources, "|") + `)",.*verb="` + verb + `",.*\} (\d+)$`)
	if count = total(t, text, series); count == 0 {
		t.Fatalf("no %s of %v is counted", verb, resources)
	}
	return count
}

// total adds up what a page of metrics says of the series, each a match whose first group is the value.
func total(t *testing.T, metrics string, series *regexp.Regexp) (sum int) {
	t.Helper()
	for _, found := range series.FindAllStringSubmatch(metrics, -1) {
		value, err := strconv.Atoi(found[1])
		must(t, err)
		sum += value
	}
	return sum
}

// now is the number of the present state.
func (u *user) now(ctx context.Context) (packed, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.config.Host+listPath+"?labelSelector=no%3Done", nil)
	if err != nil {
		return packed{}, err
	}
	response, err := u.client.Do(request)
	if err != nil {
		return packed{}, err
	}
	defer response.Body.Close()
	var list struct{ Metadata metav1.ListMeta }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return packed{}, err
	}
	return unpack(list.Metadata.ResourceVersion)
}

// take reads an answer to its end.
func (u *user) take(ctx context.Context, path string) { ask(ctx, u.client, u.config.Host+path, "") }

// packed is what a resourceVersion says: a clock and, in fixed widths, what orders states at one moment (sub and mark), and
// how far each source is behind.
type packed struct {
	clock   uint64
	order   uint64
	sources [3]uint64 // revisions; 0 is one too far back
}

const (
	sourceWidth = 7
	orderWidth  = 3
	farthest    = 9_999_999
)

func unpack(text string) (packed, error) {
	const tail = 3*sourceWidth + orderWidth
	if len(text) <= tail {
		return packed{}, errors.New("no number of the server's: " + text)
	}
	var p packed
	var err error
	if p.clock, err = strconv.ParseUint(text[:len(text)-tail], 10, 64); err != nil {
		return p, err
	}
	text = text[len(text)-tail:]
	if p.order, err = strconv.ParseUint(text[:orderWidth], 10, 64); err != nil {
		return p, err
	}
	for i := range p.sources {
		at := orderWidth + i*sourceWidth
		behind, err := strconv.ParseUint(text[at:at+sourceWidth], 10, 64)
		if err != nil {
			return p, err
		}
		if behind > 0 {
			p.sources[i] = p.clock - (farthest - behind)
		}
	}
	return p, nil
}

func (p packed) String() string {
	text := fmt.Sprintf("%d%0*d", p.clock, orderWidth, p.order)
	for _, revision := range p.sources {
		stored := uint64(0)
		if behind := p.clock - revision; revision > 0 && behind < farthest {
			stored = farthest - behind
		}
		text += fmt.Sprintf("%0*d", sourceWidth, stored)
	}
	return text
}

// later is so many revisions later, in all sources.
func (p packed) later(by uint64) packed {
	p.clock += by
	for i := range p.sources {
		if p.sources[i] > 0 {
			p.sources[i] += by
		}
	}
	return p
}

// mixedWith has a source of each.
func (p packed) mixedWith(second, third packed) packed {
	p.clock = max(p.clock, second.clock, third.clock)
	p.sources[1], p.sources[2] = second.sources[1], third.sources[2]
	return p
}
