// The resources of a dump as a server shows them: read-only. Thread-safe.
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

// Returns `resources` without the verbs that write; a refused write says why. A request for a pod's
// log gets 503, because logs are no objects.
std::vector<rest::Resource> ToBeReadOnly(std::vector<rest::Resource> resources);

// Answers the questions that only a live cluster could answer: 503 with a sentence that says so,
// and without a Retry-After.
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
