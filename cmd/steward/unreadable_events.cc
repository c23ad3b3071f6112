#include "cmd/steward/unreadable_events.h"

#include "base/text/str_cat.h"
#include "storage/operators/operator_world.h"

namespace steward {
namespace {

kube::GroupVersionKind KindOf(storage::Source source) {
  if (source == storage::kCsvSource) {
    return {"operators.coreos.com", "v1alpha1", "ClusterServiceVersion"};
  }
  if (source == storage::kOperatorGroupSource) {
    return {"operators.coreos.com", "v1", "OperatorGroup"};
  }
  return {"", "v1", "Namespace"};
}

}  // namespace

ClusterWorlds::ReportUnreadable UnreadableEvents(controllers::EventRecorder& events) {
  return
      [&events](storage::Source source, const kube::NamespacedName& name, const absl::Status& why) {
        if (name.name.empty()) return;
        events.Record({KindOf(source), name, ""}, controllers::EventType::kWarning, "Unreadable",
                      StrCat("Steward cannot read this object and leaves it out: ", why.message()));
      };
}

}  // namespace steward
