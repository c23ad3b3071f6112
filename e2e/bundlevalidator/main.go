// Command bundlevalidator says what the checks of operator-framework/api, which operator-sdk runs, find in bundles: a line of JSON for
// each folder that standard input names. It is a module of its own, apart from what the test clusters are built from.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	"github.com/operator-framework/api/pkg/validation/errors"
	"github.com/sirupsen/logrus"
)

// report is what is found in one bundle.
type report struct {
	Path     string
	Unread   string   `json:",omitempty"` // why it could not be read at all
	Errors   []string `json:",omitempty"`
	Warnings []string `json:",omitempty"`
}

func texts(all []errors.Error) (texts []string) {
	for _, each := range all {
		texts = append(texts, each.Error())
	}
	return texts
}

func judge(path string) (said report) {
	said.Path = path
	defer func() {
		if panicked := recover(); panicked != nil {
			said.Unread = fmt.Sprint("it panicked: ", panicked)
		}
	}()
	bundle, err := manifests.GetBundleFromDir(path)
	if err != nil {
		said.Unread = err.Error()
		return said
	}
	validators := append(validation.DefaultBundleValidators, validation.AlphaDeprecatedAPIsValidator)
	for _, result := range validators.Validate(bundle.ObjectsToValidate()...) {
		said.Errors = append(said.Errors, texts(result.Errors)...)
		said.Warnings = append(said.Warnings, texts(result.Warnings)...)
	}
	return said
}

func main() {
	logrus.SetLevel(logrus.PanicLevel)
	lines := bufio.NewScanner(os.Stdin)
	encoder := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := encoder.Encode(judge(lines.Text())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
