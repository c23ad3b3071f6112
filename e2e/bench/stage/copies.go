package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/olm"
)

// writers is how many requests write at a time.
const writers = 16

// parallel calls do for every item, some at a time, until one fails.
func parallel[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	return inParallel(ctx, writers, items, do)
}

// inParallel is parallel with so many at a time.
func inParallel[T any](ctx context.Context, width int, items []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan T)
	var working sync.WaitGroup
	for range width {
		working.Go(func() {
			for item := range work {
				if err := do(ctx, item); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	for _, item := range items {
		select {
		case work <- item:
		case <-ctx.Done():
		}
	}
	close(work)
	working.Wait()
	return context.Cause(ctx)
}

// Fill writes a copy of every operator into every namespace there is, as OLM leaves them; once.
func (c *Cluster) Fill(ctx context.Context, say Progress) (err error) {
	if c.Filled {
		return nil
	}
	if c.BeforeCopies, err = load.MemoryOf(c.APIServer().Pid()); err != nil {
		return err
	}
	copies := len(c.targets) * len(c.Operators.CSVs)
	say("writing %d copies into %d namespaces", copies, len(c.targets))
	meter, err := load.StartMeter([]int{c.APIServer().Pid(), c.Etcd().Pid()}, nil)
	if err != nil {
		return err
	}
	for _, csv := range c.Operators.CSVs {
		if err := c.copyTo(ctx, csv); err != nil {
			return fmt.Errorf("copy %s: %w", csv.GetName(), err)
		}
	}
	usage, err := meter.Stop()
	if err != nil {
		return err
	}
	say("wrote them in %s, %.1f ms of kube-apiserver's and etcd's CPU each", usage.Wall.Round(100*time.Millisecond),
		usage.Server.Seconds()*1000/float64(copies))
	c.Filled = true
	c.AfterCopies, err = load.MemoryOf(c.APIServer().Pid())
	return err
}

func (c *Cluster) copyTo(ctx context.Context, csv *olm.Object) error {
	object, status, err := Copy(csv)
	if err != nil {
		return err
	}
	client := c.Kube.Connect()
	defer client.Close()
	return parallel(ctx, c.targets, func(ctx context.Context, namespace string) error {
		path := CopiesIn(namespace)
		err := client.Send(ctx, http.MethodPost, path+"?fieldValidation=Ignore", object, "Content-Type", load.JSON)
		if err != nil {
			return err
		}
		return client.Send(ctx, http.MethodPatch, path+"/"+csv.GetName()+"/status", status, "Content-Type", mergePatch)
	})
}

const mergePatch = "application/merge-patch+json"

// Label writes a label of one ClusterServiceVersion.
func Label(ctx context.Context, client *load.Client, namespace, name, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{"bench":%q}}}`, value)
	return client.Send(ctx, http.MethodPatch, CopiesIn(namespace)+"/"+name, []byte(patch), "Content-Type", mergePatch)
}

// LabelCopies writes a label of every copy of an operator, as OLM does after its original was changed, but without
// anything to find out before.
func (c *Cluster) LabelCopies(ctx context.Context, name, value string) error {
	client := c.Kube.Connect()
	defer client.Close()
	return parallel(ctx, c.Namespaces, func(ctx context.Context, namespace string) error {
		return Label(ctx, client, namespace, name, value)
	})
}

// AddNamespace makes one, and RemoveNamespace takes it away, with the finalizer that a controller would remove.
func AddNamespace(ctx context.Context, client *load.Client, name string) error {
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name)
	return client.Send(ctx, http.MethodPost, "/api/v1/namespaces", []byte(body), "Content-Type", load.JSON)
}

func RemoveNamespace(ctx context.Context, client *load.Client, name string) error {
	path := "/api/v1/namespaces/" + name
	none := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q},"spec":{"finalizers":[]}}`, name)
	return errors.Join(
		client.Send(ctx, http.MethodDelete, path, nil),
		client.Send(ctx, http.MethodPut, path+"/finalize", []byte(none), "Content-Type", load.JSON))
}

// names gives every call a name of its own.
var names atomic.Int64

// NextName is a name that was not used before. All are of one length.
func NextName(prefix string) string { return fmt.Sprintf("%s-%06d", prefix, names.Add(1)) }
