#include "cmd/steward/virtual_api.h"

#include <memory>
#include <string_view>

#include "apiserver/views/cleanup_status/cleanup_status.h"
#include "apiserver/views/cleanup_status/pending/pending.h"
#include "apiserver/views/installed_operator/installed_operator.h"
#include "apiserver/views/plan_preview/creation/creation.h"
#include "apiserver/views/plan_preview/plan_preview.h"
#include "storage/cleanup/outlooks.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/world/world.h"

namespace steward {
namespace {

rest::Resource InstalledOperators(const ViewDeps& deps) {
  const auto view =
      std::make_shared<views::InstalledOperators>(deps.worlds.store(), ReadOptions(deps.worlds));
  rest::Resource resource = view->Resource();
  resource.owner = view;
  return resource;
}

rest::Resource CleanupStatuses(const ViewDeps& deps) {
  struct Parts {
    explicit Parts(const ViewDeps& deps)
        : view(deps.worlds.store(), outlooks, deps.clock, ReadOptions(deps.worlds)),
          pending(deps.pending_operands) {}
    storage::CleanupOutlooks outlooks;
    views::CleanupStatuses view;
    views::PendingView pending;
  };
  const auto parts = std::make_shared<Parts>(deps);
  rest::Resource resource = parts->view.Resource({parts->pending.Subresource()});
  resource.owner = parts;
  return resource;
}

rest::Resource PlanPreviews(const ViewDeps& deps) {
  struct Parts {
    explicit Parts(const ViewDeps& deps)
        : view(deps.plans.store(), outlooks, deps.optional_manifests, deps.clock,
               ReadOptions(deps.plans)),
          creation(deps.previews) {}
    storage::PlanOutlooks outlooks;
    views::PlanPreviews view;
    views::PlanPreviewCreation creation;
  };
  const auto parts = std::make_shared<Parts>(deps);
  rest::Resource resource = parts->view.Resource(parts->creation);
  resource.owner = parts;
  return resource;
}

}  // namespace

views::VirtualResourceOptions ReadOptions(ClusterWorlds& worlds) {
  return {.on_newest_read = [&worlds] { worlds.LearnRevision(); },
          .on_awaited = [&worlds](const storage::StateVector& vector,
                                  std::string_view asker) { worlds.CatchUp(vector, asker); }};
}

const std::vector<View>& KnownViews() {
  // Each view has one line.
  static const auto& known = *new std::vector<View>{
      InstalledOperators,
      CleanupStatuses,
      PlanPreviews,
  };
  return known;
}

std::vector<rest::Resource> VirtualResources(const ViewDeps& deps, const std::vector<View>& views) {
  std::vector<rest::Resource> resources;
  for (const View& view : views) resources.push_back(view(deps));
  return resources;
}

}  // namespace steward
