#include "apiserver/views/installed_operator/suspects.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/versions.h"
#include "base/async/turn.h"
#include "base/async/yield.h"
#include "olm/objects.h"
#include "olm/targets.h"
#include "storage/operators/operator_world.h"

namespace steward::views {
namespace {

using CsvVersions = Versions<kube::NamespacedName, olm::CsvPtr>;
using GroupVersions = Versions<kube::NamespacedName, olm::OperatorGroupPtr>;
using NamespaceVersions = Versions<std::string, olm::NamespacePtr>;
using GroupsByNamespace = std::map<std::string, std::vector<olm::OperatorGroupPtr>>;

// After more looks than this, a new list costs less for everybody.
constexpr size_t kMaxLooks = 100'000;

// Looks at pairs of an operator and a namespace.
class Search {
 public:
  Search(const GroupsByNamespace& groups, const NamespaceVersions& namespaces)
      : groups_(groups), namespaces_(namespaces) {}

  // Adds the InstalledOperator of `csv` in `ns` to the result, if it can have existed in the
  // window. Returns the cost.
  size_t Look(const kube::NamespacedName& csv, const std::string& ns) {
    const size_t before = looks_++;
    if (ns == csv.ns || IsTargeted(csv.ns, ns)) found_.insert({ns, csv.name});
    return looks_ - before;
  }
  // Counts an operator that is passed, because that has a cost, too.
  void Pass() { ++looks_; }
  bool TooMany() const { return looks_ > kMaxLooks; }
  std::set<kube::NamespacedName> TakeFound() { return std::move(found_); }

 private:
  bool IsTargeted(const std::string& install, const std::string& ns) {
    const auto in = groups_.find(install);
    const auto forms = namespaces_.all.find(ns);
    if (in == groups_.end() || forms == namespaces_.all.end()) return false;
    for (const olm::NamespacePtr& form : forms->second) {
      for (const olm::OperatorGroupPtr& group : in->second) {
        ++looks_;
        if (olm::Targets(*group, ns, form->labels)) return true;
        if (TooMany()) return false;
      }
    }
    return false;
  }

  const GroupsByNamespace& groups_;
  const NamespaceVersions& namespaces_;
  std::set<kube::NamespacedName> found_;
  size_t looks_ = 0;
};

GroupsByNamespace ByNamespace(const GroupVersions& groups) {
  GroupsByNamespace groups_in;
  for (const auto& [key, forms] : groups.all) {
    std::vector<olm::OperatorGroupPtr>& in = groups_in[key.ns];
    in.insert(in.end(), forms.begin(), forms.end());
  }
  return groups_in;
}

// True if `group` selected the namespace at some time in the window, and did not at another.
// `forms` are the namespace's versions; `missing`: it did not exist at some time.
bool SelectedAtTimes(const olm::OperatorGroup& group, const std::vector<olm::NamespacePtr>& forms,
                     bool missing) {
  const auto selected = [&group](const olm::NamespacePtr& form) {
    return group.selector->Matches(form->labels);
  };
  return std::any_of(forms.begin(), forms.end(), selected) &&
         (missing || !std::all_of(forms.begin(), forms.end(), selected));
}

// Install namespaces whose group changed, or whose group selected other namespaces at times. The
// latter counts because the install mode may depend on the number of selected namespaces, and shows
// wherever the operators appear. nullopt after too many looks.
boost::asio::awaitable<std::optional<std::set<std::string>>> InstallsTouched(
    const GroupVersions& groups, const NamespaceVersions& namespaces, Turn& turn) {
  std::set<std::string> installs;
  size_t looks = 0;
  for (const kube::NamespacedName& key : groups.touched) installs.insert(key.ns);
  for (const auto& [key, group_forms] : groups.all) {
    if (turn.Over()) co_await Yield();
    if (installs.contains(key.ns)) continue;
    // A group that did not change has one form.
    const olm::OperatorGroup& group = *group_forms.front();
    if (olm::KindOfTargets(group) != olm::TargetKind::kSelector) continue;
    for (const std::string& ns : namespaces.touched) {
      const auto forms = namespaces.all.find(ns);
      if (forms == namespaces.all.end()) continue;
      looks += forms->second.size();
      if (looks > kMaxLooks) co_return std::nullopt;
      if (turn.Over(forms->second.size())) co_await Yield();
      if (SelectedAtTimes(group, forms->second, namespaces.missing.contains(ns))) {
        installs.insert(key.ns);
        break;
      }
    }
  }
  co_return installs;
}

// Names of operators that changed, or whose install namespaces did. One operator may take the place
// of another of the same name.
boost::asio::awaitable<std::set<std::string>> NamesTouched(const CsvVersions& csvs,
                                                           const std::set<std::string>& installs,
                                                           Turn& turn) {
  std::set<std::string> names;
  for (const auto& [key, forms] : csvs.all) {
    if (csvs.touched.contains(key) || installs.contains(key.ns)) names.insert(key.name);
    if (turn.Over()) co_await Yield();
  }
  co_return names;
}

}  // namespace

boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> InstalledOperatorSuspects(
    Window window, const rest::Selection& selection) {
  const auto& then = storage::OperatorWorld::Of(*window.then);
  const auto same = [](const kube::NamespacedName& key) { return key; };
  const auto name_of = [](const kube::NamespacedName& key) { return key.name; };
  Turn turn;
  const CsvVersions csvs = co_await VersionsOf<kube::NamespacedName, olm::CsvPtr>(
      window, storage::kCsvSource, then.csvs(), same, turn);
  const GroupVersions groups = co_await VersionsOf<kube::NamespacedName, olm::OperatorGroupPtr>(
      window, storage::kOperatorGroupSource, then.operator_groups(), same, turn);
  const NamespaceVersions namespaces = co_await VersionsOf<std::string, olm::NamespacePtr>(
      window, storage::kNamespaceSource, then.namespaces(), name_of, turn);
  const GroupsByNamespace groups_in = ByNamespace(groups);
  const std::optional<std::set<std::string>> installs_touched =
      co_await InstallsTouched(groups, namespaces, turn);
  if (!installs_touched) co_return std::nullopt;
  const std::set<std::string> names_touched = co_await NamesTouched(csvs, *installs_touched, turn);

  const std::string* only_ns = SelectedNamespace(selection);
  const std::string* only_name = SelectedName(selection);
  std::vector<const std::string*> all, touched;  // selected namespaces
  for (const auto& [ns, forms] : namespaces.all) {
    if (turn.Over()) co_await Yield();
    if (only_ns != nullptr && ns != *only_ns) continue;
    all.push_back(&ns);
    if (namespaces.touched.contains(ns)) touched.push_back(&ns);
  }
  Search search(groups_in, namespaces);
  for (const auto& [key, forms] : csvs.all) {
    search.Pass();
    if (turn.Over()) co_await Yield();
    if (only_name != nullptr && key.name != *only_name) continue;
    for (const std::string* ns : names_touched.contains(key.name) ? all : touched) {
      if (turn.Over(search.Look(key, *ns))) co_await Yield();
      if (search.TooMany()) co_return std::nullopt;
    }
    if (search.TooMany()) co_return std::nullopt;
  }
  co_return search.TakeFound();
}

}  // namespace steward::views
