#include "apiserver/views/installed_operator/suspects.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/versions.h"
#include "olm/objects.h"
#include "olm/targets.h"
#include "storage/world/world.h"

namespace steward::views {
namespace {

using storage::Source;

// Beyond this a new list costs everybody less.
constexpr size_t kMaxLooks = 100'000;

}  // namespace

std::optional<std::set<kube::NamespacedName>> InstalledOperatorSuspects(
    const Window& window, const rest::Selection& selection) {
  const storage::World& then = *window.then;
  const auto same = [](const kube::NamespacedName& key) { return key; };
  const auto csvs =
      VersionsOf<kube::NamespacedName, olm::CsvPtr>(window, Source::kCsv, then.csvs(), same);
  const auto groups = VersionsOf<kube::NamespacedName, olm::OperatorGroupPtr>(
      window, Source::kOperatorGroup, then.operator_groups(), same);
  const auto namespaces = VersionsOf<std::string, olm::NamespacePtr>(
      window, Source::kNamespace, then.namespaces(),
      [](const kube::NamespacedName& key) { return key.name; });

  std::map<std::string, std::vector<olm::OperatorGroupPtr>> groups_in;
  for (const auto& [key, forms] : groups.all) {
    std::vector<olm::OperatorGroupPtr>& in = groups_in[key.ns];
    in.insert(in.end(), forms.begin(), forms.end());
  }
  std::set<std::string> installs_touched, names_touched;
  for (const kube::NamespacedName& key : groups.touched) installs_touched.insert(key.ns);
  for (const auto& [key, forms] : csvs.all) {
    if (csvs.touched.count(key) > 0 || installs_touched.count(key.ns) > 0) {
      names_touched.insert(key.name);
    }
  }
  const std::string* only_ns = SelectedNamespace(selection);
  const std::string* only_name = SelectedName(selection);
  const auto targeted = [&](const std::string& install, const std::string& ns) {
    const auto in = groups_in.find(install);
    if (in == groups_in.end()) return false;
    for (const olm::NamespacePtr& form : namespaces.all.at(ns)) {
      for (const olm::OperatorGroupPtr& group : in->second) {
        if (olm::Targets(*group, ns, form->labels)) return true;
      }
    }
    return false;
  };
  std::set<kube::NamespacedName> suspects;
  size_t looks = 0;
  const auto look = [&](const kube::NamespacedName& csv, const std::string& ns) {
    if (only_ns != nullptr && ns != *only_ns) return;
    ++looks;
    if (ns == csv.ns || targeted(csv.ns, ns)) suspects.insert({ns, csv.name});
  };
  for (const auto& [key, forms] : csvs.all) {
    if (only_name != nullptr && key.name != *only_name) continue;
    if (names_touched.count(key.name) > 0) {
      for (const auto& [ns, ns_forms] : namespaces.all) look(key, ns);
    } else {
      for (const std::string& ns : namespaces.touched) look(key, ns);
    }
    if (looks > kMaxLooks) return std::nullopt;
  }
  return suspects;
}

}  // namespace steward::views
