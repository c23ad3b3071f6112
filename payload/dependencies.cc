#include "payload/dependencies.h"

namespace steward::payload {

Dependencies::Dependencies(const std::vector<olm::PayloadManifest>& manifests,
                           const olm::TaskGraph& graph)
    : manifests_(manifests), brought_(BroughtBy(manifests)), turns_(manifests.size()) {
  for (size_t stage = 0; stage < graph.size(); ++stage) {
    for (size_t node = 0; node < graph[stage].size(); ++node) {
      for (size_t place = 0; place < graph[stage][node].size(); ++place) {
        turns_[graph[stage][node][place]] = {stage, node, place};
      }
    }
  }
  for (size_t i = 0; i < manifests.size(); ++i) {
    const olm::PayloadManifest& each = manifests[i];
    if (!each.deletes && each.identity.IsNamespace()) namespaces_[each.identity.name] = i;
  }
}

std::optional<size_t> Dependencies::DefinitionOf(size_t index) const {
  const kube::GroupVersionKind& gvk = manifests_[index].gvk;
  const auto found = brought_.find({gvk.group, gvk.kind});
  if (found == brought_.end() || !found->second.versions.contains(gvk.version)) {
    return std::nullopt;
  }
  return found->second.manifest;
}

std::optional<size_t> Dependencies::NamespaceOf(size_t index) const {
  const auto found = namespaces_.find(manifests_[index].identity.ns);
  return found == namespaces_.end() ? std::nullopt : std::optional<size_t>(found->second);
}

bool Dependencies::MayComeBefore(size_t other, size_t index) const {
  const Turn& before = turns_[other];
  const Turn& turn = turns_[index];
  if (before.stage != turn.stage) return before.stage < turn.stage;
  return before.node != turn.node || before.place < turn.place;
}

bool Dependencies::AreBeside(size_t other, size_t index) const {
  return turns_[other].stage == turns_[index].stage && turns_[other].node != turns_[index].node;
}

}  // namespace steward::payload
