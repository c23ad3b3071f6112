// The way from a kind to the resource that a server serves it as. Thread-safe.
#ifndef KUBE_CLIENT_REST_MAPPER_H_
#define KUBE_CLIENT_REST_MAPPER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/cache/expiring_cache.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

struct RestMapping {
  GroupVersionResource gvr;
  bool namespaced = true;

  bool operator==(const RestMapping&) const = default;
};

struct RestMapperOptions {
  absl::Duration ttl = absl::Seconds(30);
  // The least recently used group version makes room for a new one.
  size_t max_group_versions = 128;
};

// Discovers the group version of a kind, and keeps it for a while. An absent kind is not
// remembered, so a new API is seen at once; a removed API is seen within the TTL.
class RestMapper {
 public:
  // REQUIRES: `client` and `clock` outlive this object and its calls.
  RestMapper(Client& client, Clock& clock, RestMapperOptions options = {});

  // Nullopt when the server says now that it does not serve the group version, or serves it without
  // this kind. Any other failure of the discovery is returned as an error, since an outage does not
  // prove that the kind is absent. Errors: those of Client::Discover.
  Task<std::optional<RestMapping>> Find(const GroupVersionKind& gvk);

  // Finds a kind in any version: of the versions that have it, the one that the server prefers.
  // Nullopt only when the server says now that no version of the group has the kind.
  Task<std::optional<RestMapping>> FindAny(std::string group, std::string kind);

  // Drops the cached resources of `gv`, for example after a write got a 404 for its path.
  void Forget(const GroupVersion& gv);

 private:
  using Resources = std::vector<ApiResource>;

  std::optional<RestMapping> Kept(const GroupVersionKind& gvk);
  uint64_t Epoch() const;
  void Keep(const GroupVersion& gv, Resources resources, uint64_t epoch);

  Client& client_;
  Clock& clock_;
  const RestMapperOptions options_;
  mutable Mutex mutex_;
  ExpiringCache<Resources> kept_ ABSL_GUARDED_BY(mutex_);  // by apiVersion
  uint64_t epoch_ ABSL_GUARDED_BY(mutex_) = 0;             // counts Forget
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REST_MAPPER_H_
