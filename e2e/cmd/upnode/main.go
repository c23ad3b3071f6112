// Command upnode shows Steward on a real node: pods, Services, certificates. Everything ends with Ctrl-C.
//
//	upnode FOLDER        what `./dev image` leaves
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"steward.dev/e2e/node"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: upnode FOLDER")
		os.Exit(2)
	}
	if err := run(ctx, os.Args[1]); err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() != nil) {
		fmt.Fprintln(os.Stderr, "upnode:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string) (err error) {
	archives, _ := filepath.Glob(filepath.Join(folder, "steward-*.tar"))
	if len(archives) != 1 {
		return fmt.Errorf("%d archives of images in %s", len(archives), folder)
	}
	began := time.Now()
	fmt.Println("Starting a node ...")
	n, err := node.Start(ctx, archives...)
	if err != nil {
		return err
	}
	defer func() {
		fmt.Println("Ending everything ...")
		err = errors.Join(err, n.Stop())
	}()
	fmt.Println("Loading OLM's APIs and operators, and installing Steward ...")
	if err := n.Install(ctx, folder); err != nil {
		return err
	}
	out, err := n.Kubectl(ctx, "get", "installedoperators", "-A")
	if err != nil {
		return err
	}
	fmt.Printf(guide, time.Since(began).Round(time.Second), out, n.Kubeconfig, os.Getenv("STEWARD_TOOLS"), n.State)
	<-ctx.Done()
	fmt.Println()
	return nil
}

const guide = `Ready after %s.

$ kubectl get installedoperators -A
%s
Use it from another terminal:
  export KUBECONFIG=%s
  export PATH=%s:$PATH
A command in the node, ctr and nft among them:
  e2e/node/node.sh exec %s COMMAND...

Ctrl-C ends all of it.
`
