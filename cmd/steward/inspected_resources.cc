#include "cmd/steward/inspected_resources.h"

#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "storage/embedded/dump/dump_reviews.h"

namespace steward {
namespace {

absl::Status OnlyLive() {
  return kube::ToStatus(kube::ServiceUnavailable(storage::kDumpIsNotLive, 0));
}

class NoLogs : public rest::BlobGetter {
 public:
  Task<rest::Blob> GetBlob(const kube::NamespacedName&) override { co_return OnlyLive(); }
};

}  // namespace

std::vector<rest::Resource> ToBeReadOnly(std::vector<rest::Resource> resources) {
  static auto& no_logs = *new NoLogs;
  for (rest::Resource& resource : resources) {
    resource.create = nullptr;
    resource.del = nullptr;
    resource.patch = nullptr;
    resource.update = nullptr;
    resource.patch_types.clear();
    resource.where_to_write = [](const kube::NamespacedName&) {
      return std::string(storage::kDumpIsReadOnly);
    };
    for (rest::Subresource& subresource : resource.subresources) {
      subresource.update = nullptr;
      subresource.patch = nullptr;
    }
    if (resource.descriptor.gvk.group.empty() && resource.descriptor.plural == "pods") {
      rest::Subresource log;
      log.name = "log";
      log.get_blob = &no_logs;
      resource.subresources.push_back(std::move(log));
    }
  }
  return resources;
}

Task<upstream::PendingPage> NotLive::ListPending(upstream::Asker, kube::NamespacedName, int64_t,
                                                 std::string) {
  co_return OnlyLive();
}
Task<olm::PlanPreview> NotLive::OfPlan(upstream::Asker, kube::NamespacedName) {
  co_return OnlyLive();
}
Task<olm::PlanPreview> NotLive::OfBundle(upstream::Asker, std::string, upstream::PreviewedBundle) {
  co_return OnlyLive();
}
Task<olm::PlanPreview> NotLive::OfUninstall(upstream::Asker, kube::NamespacedName,
                                            std::optional<bool>) {
  co_return OnlyLive();
}
Task<olm::PlanPreview> NotLive::OfCopies(upstream::Asker, bool) { co_return OnlyLive(); }

}  // namespace steward
