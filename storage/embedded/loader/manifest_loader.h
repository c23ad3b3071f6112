// Loading of folders of manifests into a cluster. A coroutine on the caller's executor.
#ifndef STORAGE_EMBEDDED_LOADER_MANIFEST_LOADER_H_
#define STORAGE_EMBEDDED_LOADER_MANIFEST_LOADER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/manifest/manifest_files.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {

struct LoadOptions {
  std::vector<std::string> paths;       // files and folders, as kube::FindManifests says
  std::vector<std::string> namespaces;  // created where they are missing
  // Makes any problem in the manifests an error before anything is written.
  bool strict = false;
};

struct LoadResult {
  static constexpr size_t kMaxProblems = 50;

  size_t created = 0;
  size_t updated = 0;
  size_t unchanged = 0;
  size_t skipped = 0;                           // problems, also those beyond kMaxProblems
  std::vector<kube::ManifestProblem> problems;  // the first kMaxProblems
  // Namespaces that were created because objects live in them and no manifest creates them.
  std::vector<std::string> made_namespaces;
  size_t without_owners = 0;  // objects whose owner references were left out
};

// Definitions are loaded first, then Namespaces, then the rest. An object is created, or updated if
// that would change more than the fields that the server sets. Its status is written through the
// status subresource. So loading the same manifests again changes nothing. Single objects follow
// the rules of manifest_plan.h. Files, documents and objects that are bad, or that the cluster
// refuses, are skipped and reported, here and in the log.
//
// Errors: a path that does not exist; too much to read; in strict mode the first problem; a cluster
// that fails (500 and above) or cannot be reached, after which some objects may have been written.
Task<LoadResult> LoadManifests(kube::Client& client, CatalogPtr catalog, LoadOptions options);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LOADER_MANIFEST_LOADER_H_
