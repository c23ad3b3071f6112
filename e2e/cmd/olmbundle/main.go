// Command olmbundle writes Steward's own bundle for OLM, made of deploy/overlays/beside-olm, into a folder.
package main

import (
	"flag"
	"fmt"
	"os"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olmbundle"
)

func main() {
	var options olmbundle.Options
	flag.StringVar(&options.Image, "image", "", "image of Steward, with tag or digest; default steward with the version as the tag")
	flag.StringVar(&options.Version, "version", "", "version of the bundle, as 1.2.3; default the version of this tree")
	flag.StringVar(&options.Replaces, "replaces", "", "ClusterServiceVersion that the bundle replaces, as steward.v1.2.2; default none")
	output := flag.String("output", "", "folder to write to; what an earlier bundle has left in it is replaced")
	flag.Parse()
	if err := run(options, *output); err != nil {
		fmt.Fprintln(os.Stderr, "olmbundle:", err)
		os.Exit(1)
	}
}

func run(options olmbundle.Options, output string) error {
	if output == "" {
		return fmt.Errorf("--output names no folder")
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	bundle, err := olmbundle.Generate(root, options)
	if err != nil {
		return err
	}
	return bundle.Write(output)
}
