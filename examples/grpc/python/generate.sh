#!/usr/bin/env bash
# Makes the Python modules of the services from their .proto files, in generated/ beside this script or in the folder given.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
OUT=${1:-$HERE/generated}
mkdir -p "$OUT"
cd "$HERE/../../.."
find proto/steward -name '*.proto' -exec protoc --proto_path=. --python_out="$OUT" --grpc_python_out="$OUT" \
  --plugin=protoc-gen-grpc_python="$(command -v grpc_python_plugin)" {} +
