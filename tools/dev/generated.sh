# shellcheck shell=bash
# Documents that the program itself writes.

# generate_files FOLDER: writes all of docs/generated into the folder.
generate_files() {
  local folder=$1 output
  output=$(build_steward 2>&1) || {
    printf '%s\n' "$output"
    return 1
  }
  bin/steward apiserver --help >"$folder/flags-apiserver.txt"
  bin/steward controllers --help >"$folder/flags-controllers.txt"
  bin/steward up --help >"$folder/flags-up.txt"
  local command
  for command in '' uninstall status abort restore; do
    bin/steward kubectl ${command:+"$command"} --help
  done >"$folder/flags-kubectl-steward.txt"
}
