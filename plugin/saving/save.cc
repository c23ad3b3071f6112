#include "plugin/saving/save.h"

#include <algorithm>
#include <utility>

#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/cleanup/decode.h"
#include "plugin/cluster/operands.h"
#include "plugin/saving/saved_object.h"
#include "plugin/saving/saved_path.h"

namespace steward::plugin {

Saver::Saver(kube::Client& client, Clock& clock, std::string folder, kube::NamespacedName csv,
             std::string csv_uid)
    : client_(client), clock_(clock), folder_(std::move(folder)) {
  index_.csv = std::move(csv);
  index_.csv_uid = std::move(csv_uid);
}

absl::Status Saver::SaveObject(const olm::CrdPlan& plan, const kube::RawObject& raw,
                               SavedResource& resource) {
  ASSIGN_OR_RETURN(olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
  if (olm::FateOf(plan, facts.key.ns, facts.deleting()) == olm::OperandFate::kKeep) {
    return absl::OkStatus();
  }
  const std::string path = SavedPath(plan.crd, facts.key);
  const std::string state = StrCat(facts.uid, " ", facts.resource_version);
  if (std::string& written = written_[path]; written != state) {
    ASSIGN_OR_RETURN(const std::string yaml, SavedYaml(raw.json));
    // Refuse to save an object that could not be read back.
    RETURN_IF_ERROR(ObjectToRestore(yaml, resource, facts.key).status());
    RETURN_IF_ERROR(folder_.Write(path, yaml));
    written = state;
  }
  resource.objects.push_back(std::move(facts.key));
  return absl::OkStatus();
}

Task<SavedResource> Saver::SaveOne(olm::CrdPlan plan) {
  SavedResource resource;
  OperandVisitor visitor;
  visitor.begin = [&resource, &plan] {
    resource = SavedResource();
    resource.crd = plan.crd;
    resource.gvk = {plan.group, "", plan.kind};
    resource.plural = plan.plural;
    resource.cluster_scoped = plan.cluster_scoped;
  };
  visitor.visit = [this, &resource, &plan](const kube::RawObject& raw, const std::string& version) {
    resource.gvk.version = version;
    return SaveObject(plan, raw, resource);
  };
  visitor.begin();
  if (plan.HasObjects() && !plan.targets.empty()) {
    const absl::StatusOr<bool> visited =
        co_await VisitOperands(client_, plan, /*metadata_only=*/false, visitor);
    CO_RETURN_IF_ERROR(visited.status());
  }
  std::sort(resource.objects.begin(), resource.objects.end());
  co_return std::move(resource);
}

Task<size_t> Saver::Save(std::vector<olm::CrdPlan> plans) {
  index_.saved_at = kube::FormatRfc3339(clock_.Now());
  index_.complete = false;
  index_.resources.clear();
  CO_RETURN_IF_ERROR(folder_.Begin(index_));
  for (const olm::CrdPlan& plan : plans) {
    absl::StatusOr<SavedResource> resource = co_await SaveOne(plan);
    if (!resource.ok()) {
      co_return WithContext(StrCat("saving ", plan.crd, " to ", folder()), resource.status());
    }
    if (!resource->objects.empty()) index_.resources.push_back(*std::move(resource));
  }
  index_.complete = true;
  CO_RETURN_IF_ERROR(folder_.Finish(index_));
  co_return index_.objects();
}

}  // namespace steward::plugin
