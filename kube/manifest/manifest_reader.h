// Reading of many manifests at a time. A coroutine on the caller's executor.
#ifndef KUBE_MANIFEST_MANIFEST_READER_H_
#define KUBE_MANIFEST_MANIFEST_READER_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/manifest/manifest_files.h"

namespace steward::kube {

// The objects in the files that `paths` stand for, in the order of FindManifests; files that cannot
// be read become problems. Reads on threads of its own, one per core, so that the caller's executor
// stays free. Errors: those of FindManifests; kResourceExhausted for more than kMaxFileBytes bytes.
// When cancelled, it ends after the files that are being read.
Task<Manifests> ReadManifests(std::vector<std::string> paths);

}  // namespace steward::kube

#endif  // KUBE_MANIFEST_MANIFEST_READER_H_
