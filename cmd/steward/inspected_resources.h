// The resources of a dump as a server shows them: to be read only. Thread-safe.
#ifndef CMD_STEWARD_INSPECTED_RESOURCES_H_
#define CMD_STEWARD_INSPECTED_RESOURCES_H_

#include <optional>
#include <string>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/upstream/pending_operands.h"
#include "apiserver/upstream/previews.h"
#include "olm/preview/preview.h"

namespace steward {

// Returns `resources` without verbs that write; their refusals say why. The logs of pods, which are
// no objects, are answered with 503.
std::vector<rest::Resource> ToBeReadOnly(std::vector<rest::Resource> resources);

// The questions that only a live cluster answers: 503 with that sentence, and without a time to try
// again after.
class NotLive : public upstream::PendingOperands, public upstream::Previews {
 public:
  Task<upstream::PendingPage> ListPending(upstream::Asker asker, kube::NamespacedName csv,
                                          int64_t limit, std::string continue_token) override;
  Task<olm::PlanPreview> OfPlan(upstream::Asker asker, kube::NamespacedName plan) override;
  Task<olm::PlanPreview> OfBundle(upstream::Asker asker, std::string ns,
                                  upstream::PreviewedBundle bundle) override;
  Task<olm::PlanPreview> OfUninstall(upstream::Asker asker, kube::NamespacedName csv,
                                     std::optional<bool> cleanup) override;
  Task<olm::PlanPreview> OfCopies(upstream::Asker asker, bool enabled) override;
};

}  // namespace steward

#endif  // CMD_STEWARD_INSPECTED_RESOURCES_H_
