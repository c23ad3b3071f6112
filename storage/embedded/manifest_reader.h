// Reading many manifests at a time.
#ifndef STORAGE_EMBEDDED_MANIFEST_READER_H_
#define STORAGE_EMBEDDED_MANIFEST_READER_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "storage/embedded/manifest_files.h"

namespace steward::storage {

// What is in the files that `paths` stand for, in the order of FindManifests; files that cannot be
// read are among the problems. They are read on threads of its own, as many as there are cores, and
// the caller's executor is free meanwhile. Errors: FindManifests'; kResourceExhausted for more than
// kMaxManifests bytes. Cancelled, it ends after the files that are being read.
Task<Manifests> ReadManifests(std::vector<std::string> paths);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_MANIFEST_READER_H_
