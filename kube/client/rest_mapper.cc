#include "kube/client/rest_mapper.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"

namespace steward::kube {
namespace {

std::optional<RestMapping> MappingOf(const GroupVersionKind& gvk,
                                     const std::vector<ApiResource>& resources) {
  for (const ApiResource& resource : resources) {
    if (resource.kind != gvk.kind) continue;
    return RestMapping{{gvk.group, gvk.version, resource.resource}, resource.namespaced};
  }
  return std::nullopt;
}

}  // namespace

RestMapper::RestMapper(Client& client, Clock& clock, RestMapperOptions options)
    : client_(client), clock_(clock), options_(options), kept_(options.max_group_versions) {}

std::optional<RestMapping> RestMapper::Kept(const GroupVersionKind& gvk) {
  MutexLock lock(&mutex_);
  const std::optional<Resources> resources = kept_.Get(gvk.ApiVersion(), clock_.Now());
  return resources ? MappingOf(gvk, *resources) : std::nullopt;
}

uint64_t RestMapper::Epoch() const {
  MutexLock lock(&mutex_);
  return epoch_;
}

// Does not keep an answer that was requested before a Forget, because it may be the outdated one.
void RestMapper::Keep(const GroupVersion& gv, Resources resources, uint64_t epoch) {
  MutexLock lock(&mutex_);
  if (epoch == epoch_) kept_.Put(gv.ApiVersion(), std::move(resources), clock_.Now(), options_.ttl);
}

Task<std::optional<RestMapping>> RestMapper::Find(const GroupVersionKind& gvk) {
  if (std::optional<RestMapping> kept = Kept(gvk)) co_return kept;
  const GroupVersion gv = gvk.group_version();
  const uint64_t epoch = Epoch();
  absl::StatusOr<Resources> resources = co_await client_.Discover(gv);
  if (IsNotServed(resources.status())) {
    Keep(gv, {}, epoch);
    co_return std::nullopt;
  }
  CO_RETURN_IF_ERROR(resources.status());
  std::optional<RestMapping> mapping = MappingOf(gvk, *resources);
  Keep(gv, *std::move(resources), epoch);
  co_return mapping;
}

Task<std::optional<RestMapping>> RestMapper::FindAny(std::string group, std::string kind) {
  CO_ASSIGN_OR_RETURN(const std::vector<GroupVersion> served, co_await client_.DiscoverGroups());
  std::optional<RestMapping> found;
  for (const GroupVersion& gv : served) {
    if (gv.group != group || found) continue;
    const GroupVersionKind gvk = {gv.group, gv.version, kind};
    CO_ASSIGN_OR_RETURN(found, co_await Find(gvk));
  }
  co_return found;
}

void RestMapper::Forget(const GroupVersion& gv) {
  MutexLock lock(&mutex_);
  ++epoch_;
  kept_.Put(gv.ApiVersion(), {}, clock_.Now(), options_.ttl);
}

}  // namespace steward::kube
