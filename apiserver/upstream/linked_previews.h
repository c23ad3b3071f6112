// Asks for previews over one channel per family of controllers. Thread-safe.
#ifndef APISERVER_UPSTREAM_LINKED_PREVIEWS_H_
#define APISERVER_UPSTREAM_LINKED_PREVIEWS_H_

#include <optional>
#include <string>
#include <utility>

#include "apiserver/upstream/asker.h"
#include "apiserver/upstream/channel.h"
#include "apiserver/upstream/previews.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "olm/preview/preview.h"

namespace steward::upstream {

class LinkedPreviews : public Previews {
 public:
  struct Link {
    Channel* channel = nullptr;  // null: every question is answered with 503
    std::string absence = {};    // the message of that 503
  };
  struct Links {
    Link plans;
    Link cleanup;
    Link copies;
  };

  // REQUIRES: the channels outlive this object and its calls.
  explicit LinkedPreviews(Links links) : links_(std::move(links)) {}

  Task<olm::PlanPreview> OfPlan(Asker asker, kube::NamespacedName plan) override;
  Task<olm::PlanPreview> OfBundle(Asker asker, std::string ns, PreviewedBundle bundle) override;
  Task<olm::PlanPreview> OfUninstall(Asker asker, kube::NamespacedName csv,
                                     std::optional<bool> cleanup) override;
  Task<olm::PlanPreview> OfCopies(Asker asker, bool enabled) override;

 private:
  const Links links_;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_LINKED_PREVIEWS_H_
