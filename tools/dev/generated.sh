# shellcheck shell=bash
# Documents that the program itself writes, and what else is made of the sources.

# generate_files FOLDER: writes all of docs/generated into the folder.
generate_files() {
  local folder=$1 output
  output=$(build_steward 2>&1) || {
    printf '%s\n' "$output"
    return 1
  }
  bin/steward apiserver --help >"$folder/flags-apiserver.txt"
  bin/steward controllers --help >"$folder/flags-controllers.txt"
  bin/steward inspect --help >"$folder/flags-inspect.txt"
  bin/steward up --help >"$folder/flags-up.txt"
  bin/steward console --help >"$folder/flags-console.txt"
  command_help kubectl >"$folder/flags-kubectl-steward.txt"
  local noun
  for noun in $(bin/steward help | awk '/^Nouns/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
    command_help "$noun" >"$folder/flags-$noun.txt"
  done
}

# command_help WORD...: the help of a command and of every command below.
command_help() {
  local words word
  bin/steward "$@" --help
  words=$(bin/steward "$@" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [^ ]/ { print $1 }')
  for word in $words; do
    command_help "$@" "$word"
  done
}

# generate_go_stubs FOLDER: writes a Go package for each folder of proto/steward into the folder: what Go clients import.
generate_go_stubs() {
  local folder=$1 plugins package module=steward.dev/examples/grpc/stubs
  plugins=$(mktemp -d)
  go -C examples/grpc/go build -o "$plugins/" google.golang.org/protobuf/cmd/protoc-gen-go \
    google.golang.org/grpc/cmd/protoc-gen-go-grpc || return 1
  for package in proto/steward/*/*; do
    PATH=$plugins:$PATH protoc --proto_path=. --go_out="$folder" --go_opt=module="$module" \
      --go-grpc_out="$folder" --go-grpc_opt=module="$module" "$package"/*.proto || return 1
  done
  rm -rf "$plugins"
}

# generate_chart FOLDER: writes the Helm chart of deploy/base and deploy/overlays into the folder.
generate_chart() {
  local folder version
  folder=$(realpath "$1")
  version=$(sed -n 's/^constexpr char kVersion\[\] = "v\(.*\)";$/\1/p' cmd/steward/version.cc)
  go -C e2e run ./cmd/chart "$ROOT/deploy" "$version" "$folder"
}

# generate_olm_bundle FOLDER: writes Steward's own bundle for OLM, made of an overlay of deploy/, into the folder.
generate_olm_bundle() { go -C e2e run ./cmd/olmbundle --output="$1"; }
