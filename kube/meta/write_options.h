// How a write or a delete is asked for: the query parameters and bodies of the API, as values.
#ifndef KUBE_META_WRITE_OPTIONS_H_
#define KUBE_META_WRITE_OPTIONS_H_

#include <string>

namespace steward::kube {

// User-provided constructors on purpose: g++ 12 destroys aggregates made in a co_await expression
// twice.
struct WriteOptions {
  WriteOptions() {}
  std::string subresource;  // "" or "status"
  bool dry_run = false;     // everything but the change itself happens
  std::string field_manager;
};

enum class PatchType {
  kJsonMerge,       // RFC 7396
  kStrategicMerge,  // Kubernetes' own; not for custom resources
  kJson,            // RFC 6902
  kApply,           // server-side apply
};

struct DeleteOptions {
  enum class Propagation { kDefault, kBackground, kForeground, kOrphan };

  DeleteOptions() {}
  std::string uid;               // "" = whichever object has the name; else 409 for another
  std::string resource_version;  // "" = in whichever state it is; else 409 for another
  Propagation propagation = Propagation::kDefault;
  bool dry_run = false;
};

}  // namespace steward::kube

#endif  // KUBE_META_WRITE_OPTIONS_H_
