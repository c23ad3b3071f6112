#include "apiserver/views/installed_operator/projection.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "olm/collision.h"
#include "olm/copy.h"

namespace steward::views {
namespace {

using storage::EffectiveGroup;
using storage::OperatorWorld;

// The appearance of `csv` in `ns`, or nullopt. Ignores other ClusterServiceVersions of the same
// name.
std::optional<Appearance> Appear(const OperatorWorld& world, const olm::Namespace& ns,
                                 const olm::Csv& csv) {
  if (csv.copied) return std::nullopt;
  Appearance seen;
  seen.csv = &csv;
  seen.ns = &ns;
  seen.group = world.GroupIn(csv.key.ns);
  seen.own = csv.key.ns == ns.name;
  seen.targeted = seen.group != nullptr && olm::Targets(*seen.group->group, ns.name, ns.labels);
  const bool reaches = seen.targeted && !olm::IsUncopiable(csv.phase, csv.reason);
  if (!seen.own && !reaches) return std::nullopt;
  return seen;
}

// Calls `visit` once with each install namespace from which operators may reach `ns`, including
// `ns` itself.
template <typename Visit>
void ForEachInstall(const OperatorWorld& world, const std::string& ns, Visit visit) {
  visit(ns);
  for (const std::string& install : world.InstallsTargeting(ns)) {
    if (install != ns) visit(install);
  }
  for (const std::string& install : world.global_installs()) {
    if (install != ns) visit(install);
  }
}

// Returns the appearance that wins among [first, last), which have one name. It hides the others.
Appearance Merge(std::vector<Appearance>::iterator first, std::vector<Appearance>::iterator last) {
  std::sort(first, last, [](const Appearance& a, const Appearance& b) {
    return olm::WinsIn(a.ns->name, *a.csv, *b.csv);
  });
  Appearance winner = std::move(*first);
  for (auto it = first + 1; it != last; ++it) winner.hidden.push_back(it->csv);
  return winner;
}

}  // namespace

std::vector<Appearance> AppearancesIn(const OperatorWorld& world, const std::string& ns) {
  std::vector<Appearance> all;
  const olm::NamespacePtr* found = world.namespaces().Find(ns);
  if (found == nullptr) return all;
  ForEachInstall(world, ns, [&](const std::string& install) {
    for (auto it = world.csvs().LowerBound({install, ""}); !it.done() && it.key().ns == install;
         it.Next()) {
      if (auto seen = Appear(world, **found, *it.value())) all.push_back(*std::move(seen));
    }
  });
  std::sort(all.begin(), all.end(), [](const Appearance& a, const Appearance& b) {
    return a.csv->key.name < b.csv->key.name;
  });
  const auto same_name = [](const Appearance& a, const Appearance& b) {
    return a.csv->key.name == b.csv->key.name;
  };
  if (std::adjacent_find(all.begin(), all.end(), same_name) == all.end()) return all;
  std::vector<Appearance> merged;
  merged.reserve(all.size());
  for (auto first = all.begin(); first != all.end();) {
    const std::string& name = first->csv->key.name;
    auto last = std::find_if(first, all.end(),
                             [&](const Appearance& a) { return a.csv->key.name != name; });
    merged.push_back(Merge(first, last));
    first = last;
  }
  return merged;
}

std::optional<Appearance> FindAppearance(const OperatorWorld& world, const std::string& ns,
                                         const std::string& name) {
  const olm::NamespacePtr* found = world.namespaces().Find(ns);
  if (found == nullptr) return std::nullopt;
  std::vector<Appearance> all;
  ForEachInstall(world, ns, [&](const std::string& install) {
    const olm::CsvPtr* csv = world.csvs().Find({install, name});
    if (csv == nullptr) return;
    if (auto seen = Appear(world, **found, **csv)) all.push_back(*std::move(seen));
  });
  if (all.empty()) return std::nullopt;
  return Merge(all.begin(), all.end());
}

std::optional<olm::InstallMode> InstallModeOf(const Appearance& seen) {
  if (seen.group == nullptr) return std::nullopt;
  return olm::ModeFor(seen.group->targets);
}

std::optional<storage::Number> OwnNumber(const Appearance& seen) {
  if (!seen.hidden.empty()) return std::nullopt;
  storage::Number number;
  number.mark = storage::Number::kOwn;
  number.vector = {seen.csv->written.revision,
                   seen.group == nullptr ? 0 : seen.group->group->written.revision,
                   seen.ns->written.revision};
  const auto& [csv, group, ns] = number.vector;
  if (csv == 0 || ns == 0 || (group == 0 && seen.group != nullptr)) return std::nullopt;
  number.clock = std::max({csv, group, ns}) * storage::kTicks;
  // The vector does not tell everything: a component that is far back becomes 0, as if there were
  // no group. And the install mode depends on the labels of other namespaces. So the clock's ticks
  // encode both.
  if (seen.group != nullptr) ++number.clock;
  if (const std::optional<olm::InstallMode> mode = InstallModeOf(seen)) {
    number.clock += 1 + static_cast<uint64_t>(*mode);
  }
  return number;
}

}  // namespace steward::views
