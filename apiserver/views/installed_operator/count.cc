#include "apiserver/views/installed_operator/count.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "apiserver/views/installed_operator/projection.h"
#include "base/async/yield.h"
#include "olm/copy.h"
#include "olm/objects.h"

namespace steward::views {
namespace {

using storage::OperatorWorld;

// The number of namespaces that are counted before other work gets its turn: some hundred
// microseconds.
constexpr int kLooksPerTurn = 500;

using Names = std::set<std::string_view>;

// Adds the names of the operators in `install` that appear in `install` itself (`own`), or in the
// namespaces that its group targets.
void AddNames(const OperatorWorld& world, const std::string& install, bool own, Names& names) {
  for (auto it = world.csvs().LowerBound({install, ""}); !it.done() && it.key().ns == install;
       it.Next()) {
    const olm::Csv& csv = *it.value();
    if (csv.copied || (!own && olm::IsUncopiable(csv.phase, csv.reason))) continue;
    names.insert(csv.key.name);
  }
}

int64_t CountInOne(const OperatorWorld& world, const std::string& ns, const std::string* after) {
  int64_t count = 0;
  for (const Appearance& seen : AppearancesIn(world, ns)) {
    if (after == nullptr || seen.csv->key.name > *after) ++count;
  }
  return count;
}

// Counts the operators of a namespace that do not appear in every namespace.
class ExtraCounter {
 public:
  explicit ExtraCounter(const OperatorWorld& world) : world_(world) {
    for (const std::string& install : world.global_installs()) {
      AddNames(world, install, false, everywhere_);
    }
  }

  int64_t everywhere() const { return static_cast<int64_t>(everywhere_.size()); }

  int64_t ExtraIn(const std::string& ns) {
    const std::vector<std::string>& installs = world_.InstallsTargeting(ns);
    const auto first = world_.csvs().LowerBound({ns, ""});
    if (!first.done() && first.key().ns == ns) return Count(installs, &ns);
    // Namespaces without operators of their own that the same groups target have the same
    // operators.
    const auto [it, is_new] = same_.try_emplace(installs, 0);
    if (is_new) it->second = Count(installs, nullptr);
    return it->second;
  }

 private:
  int64_t Count(const std::vector<std::string>& installs, const std::string* own) const {
    Names names;
    if (own != nullptr) AddNames(world_, *own, true, names);
    for (const std::string& install : installs) AddNames(world_, install, false, names);
    int64_t count = 0;
    for (const std::string_view name : names) count += everywhere_.count(name) == 0 ? 1 : 0;
    return count;
  }

  const OperatorWorld& world_;
  Names everywhere_;
  std::map<std::vector<std::string>, int64_t> same_;
};

// The smallest key above `name`.
std::string NextKey(const std::string& name) { return name + '\0'; }

}  // namespace

Task<int64_t> CountBehind(storage::OperatorWorldPtr world, std::string ns,
                          std::optional<kube::NamespacedName> after) {
  if (!ns.empty()) co_return CountInOne(*world, ns, after ? &after->name : nullptr);

  std::string from;
  int64_t count = 0;
  if (after) {
    count = CountInOne(*world, after->ns, &after->name);
    from = NextKey(after->ns);
  }
  ExtraCounter extra(*world);
  count += static_cast<int64_t>(world->namespaces().CountFrom(from)) * extra.everywhere();
  int looks = 0;
  // Both iterators are in the order of namespaces. A namespace that both have counts once.
  auto targeted = world->explicit_targets().LowerBound(from);
  auto installed = world->csvs().LowerBound({from, ""});
  while (!targeted.done() || !installed.done()) {
    const bool first =
        installed.done() || (!targeted.done() && targeted.key() <= installed.key().ns);
    const std::string next = first ? targeted.key() : installed.key().ns;
    if (world->namespaces().Find(next) != nullptr) count += extra.ExtraIn(next);
    if (!targeted.done() && targeted.key() == next) targeted.Next();
    if (!installed.done() && installed.key().ns == next) {
      installed = world->csvs().LowerBound({NextKey(next), ""});
    }
    if (++looks % kLooksPerTurn == 0) co_await Yield();
  }
  co_return count;
}

}  // namespace steward::views
