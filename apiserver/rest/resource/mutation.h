// The writing verbs that a resource may have. Implementations are thread-safe.
#ifndef APISERVER_REST_RESOURCE_MUTATION_H_
#define APISERVER_REST_RESOURCE_MUTATION_H_

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::rest {

// The answer to a write: an object in its new state or, for DELETE, possibly a Status of success.
struct WriteResult {
  Reading reading;          // with exactly one object; unused if status_json is set
  std::string status_json;  // "" = none; else sent unchanged instead of an object
  // Each is sent as a Warning header (code 299); printable ASCII.
  std::vector<std::string> warnings;
};

// Errors carry a Kubernetes Status. Names come from the path. Objects are as the client sent them:
// the caller has only checked that the body is one JSON object.
class Creator {
 public:
  virtual ~Creator() = default;
  virtual Task<WriteResult> Create(const std::string& ns, boost::json::value object,
                                   const kube::WriteOptions& options) = 0;
};

class Updater {
 public:
  virtual ~Updater() = default;
  virtual Task<WriteResult> Update(const kube::NamespacedName& name, boost::json::value object,
                                   const kube::WriteOptions& options) = 0;
};

class Patcher {
 public:
  virtual ~Patcher() = default;
  virtual Task<WriteResult> Patch(const kube::NamespacedName& name, kube::PatchType type,
                                  boost::json::value patch, const kube::WriteOptions& options) = 0;
};

class Deleter {
 public:
  virtual ~Deleter() = default;
  virtual Task<WriteResult> Delete(const kube::NamespacedName& name,
                                   const kube::DeleteOptions& options) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_MUTATION_H_
