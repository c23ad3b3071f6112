#include "storage/world/world.h"

#include <algorithm>

#include "kube/meta/resource_version.h"

namespace steward::storage {

const std::vector<std::string>& World::InstallsTargeting(const std::string& ns) const {
  static const std::vector<std::string>& none = *new std::vector<std::string>;
  const auto* installs = targeting_.Find(ns);
  return installs == nullptr ? none : **installs;
}

bool World::synced() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const SourceState& s) { return s.synced; });
}

bool World::connected() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const SourceState& s) { return s.connected; });
}

std::string World::ResourceVersion() const {
  kube::PackedVersion version;
  version.clock = clock_;
  version.sub = sub_;
  version.mark = kube::PackedVersion::kComplete;
  version.csv = source(Source::kCsv).rev;
  version.operator_group = source(Source::kOperatorGroup).rev;
  version.namespaces = source(Source::kNamespace).rev;
  return kube::Pack(version);
}

}  // namespace steward::storage
