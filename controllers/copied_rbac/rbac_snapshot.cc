#include "controllers/copied_rbac/rbac_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/resources.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "olm/copy/stored_copy.h"
#include "olm/decode.h"
#include "olm/object_facts.h"
#include "olm/resources.h"
#include "olm/targets.h"

namespace steward::controllers {
namespace {

constexpr int64_t kPage = 500;
// A page size for ClusterServiceVersions, which have tens of kB each.
constexpr int64_t kCsvPage = 50;
// If there are more namespaces, the whole cluster is listed.
constexpr size_t kFewNamespaces = 8;
// The limit of one page, because objects can have a megabyte each, and anybody may write the
// labels.
constexpr size_t kPageBytes = size_t{4} << 20;
// OLM and Steward make no original or copy with more bytes: even a whole ClusterServiceVersion is
// hardly larger.
constexpr size_t kLarge = size_t{256} << 10;
// The bytes of all pairs from one namespace: pairs above this limit count as too large.
constexpr size_t kAllPairs = size_t{16} << 20;
// The limit of comparisons to find the rules of a Role that its ClusterServiceVersion asks for.
constexpr size_t kMostComparisons = 4'000'000;

kube::ListOptions Paged(std::string ns, std::string selector, int64_t limit = kPage) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(selector);
  options.limit = limit;
  options.max_bytes = kPageBytes;
  return options;
}

// Reads the identity of a stored object, and since when it waits.
absl::StatusOr<olm::StoredRbac> ReadIdentity(olm::RbacKind kind, std::string_view json) {
  olm::StoredRbac stored;
  stored.kind = kind;
  ASSIGN_OR_RETURN(stored.facts, olm::DecodeObjectFacts(json));
  if (json.size() <= kLarge && json.find(olm::kUnwantedSinceAnnotation) != std::string_view::npos) {
    ASSIGN_OR_RETURN(const olm::StoredRbac whole, olm::ReadRbac(kind, json));
    stored.unwanted_since = whole.unwanted_since;
  }
  stored.has_content = false;
  return stored;
}

// Drops labels and finalizers, which were only needed to classify the object.
void DropMarks(olm::StoredRbac& stored) {
  stored.facts.labels.clear();
  stored.facts.finalizers.clear();
}

StatusTask ReadCopies(kube::Client& client, olm::RbacKind kind, const std::string& source,
                      StoredCopies& copies) {
  kube::ListOptions options = Paged("", StrCat(olm::kCopiedFromLabel, "=", source));
  options.metadata_only = true;
  co_return co_await kube::VisitAll(
      client, olm::ResourceOf(kind), options,
      [kind, &source, &copies](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::StoredRbac stored, ReadIdentity(kind, raw.json));
        if (!olm::IsCopyFrom(stored, source)) return absl::OkStatus();
        DropMarks(stored);
        const kube::NamespacedName key = stored.facts.key;
        copies.insert_or_assign(key, std::move(stored));
        return absl::OkStatus();
      });
}

// By name: the ClusterServiceVersions of a namespace that have originals, with the facts that
// IsMadeFor needs.
using Owners = std::map<std::string, olm::ObjectFacts>;

bool IsThere(const olm::ObjectFacts& csv) { return !csv.deleting() || olm::WaitsForCleanup(csv); }

StatusTask ReadOwners(kube::Client& client, const std::string& source, Owners& owners) {
  kube::ListOptions options = Paged(source, StrCat("!", olm::kCopiedFromLabel));
  options.metadata_only = true;
  co_return co_await kube::VisitAll(
      client, olm::kCsvs, options, [&owners](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::ObjectFacts csv, olm::DecodeObjectFacts(raw.json));
        if (!IsThere(csv)) return absl::OkStatus();
        csv.labels.clear();
        csv.finalizers.clear();
        const std::string name = csv.key.name;
        owners[name] = std::move(csv);
        return absl::OkStatus();
      });
}

// By the name of a ClusterServiceVersion: the names of the originals that were made for it.
using Originals = std::map<std::string, std::set<std::string>>;

StatusTask ReadOriginals(kube::Client& client, olm::RbacKind kind, const Owners& owners,
                         RbacSnapshot& snapshot, Originals& originals) {
  kube::ListOptions options =
      Paged(snapshot.source, StrCat(olm::kOwnerKindLabel, "=", olm::kOwnerKind));
  options.metadata_only = true;
  co_return co_await kube::VisitAll(
      client, olm::ResourceOf(kind), options,
      [kind, &owners, &snapshot, &originals](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
        const auto label = facts.labels.find(std::string(olm::kOwnerLabel));
        const auto owner = label == facts.labels.end() ? owners.end() : owners.find(label->second);
        if (owner == owners.end()) return absl::OkStatus();
        if (raw.json.size() > kLarge) {
          snapshot.too_large[facts.key.name] = owner->first;
          return absl::OkStatus();
        }
        ASSIGN_OR_RETURN(const olm::StoredRbac stored, olm::ReadRbac(kind, raw.json));
        if (olm::IsMadeFor(stored, owner->second)) originals[owner->first].insert(facts.key.name);
        return absl::OkStatus();
      });
}

size_t WordsOf(const olm::PolicyRules& rules) {
  size_t words = 0;
  for (const olm::PolicyRule& rule : rules) {
    words += rule.groups.size() + rule.resources.size() + rule.names.size() + rule.verbs.size();
  }
  return words;
}

// True if it takes too long to find the rules of the Role that its ClusterServiceVersion asks for.
bool TakesTooLong(const olm::RbacSource& csv, const olm::StoredRbac& role,
                  const olm::StoredRbac& binding) {
  size_t asked = 0;
  for (const olm::Permission& permission : csv.permissions) asked += WordsOf(permission.rules);
  const size_t subjects = std::max<size_t>(binding.subjects.size(), 1);
  // Cannot overflow, because no factor is larger than the bytes of an object.
  return WordsOf(role.rules) * asked > kMostComparisons / subjects;
}

// Reads the pairs of one ClusterServiceVersion. REQUIRES: the references outlive the task.
class PairReader {
 public:
  PairReader(kube::Client& client, RbacSnapshot& snapshot) : client_(client), snapshot_(snapshot) {}

  StatusTask Read(const olm::RbacSource& csv, std::set<std::string> names) {
    for (const std::string& name : names) {
      const absl::Status read = co_await ReadOne(csv, name);
      if (read.ok()) continue;
      // The copies of this original stay as they are; the copies of others do not wait for it.
      snapshot_.unread.insert(name);
      snapshot_.unread_reason.Update(read);
    }
    co_return absl::OkStatus();
  }

 private:
  StatusTask ReadOne(const olm::RbacSource& csv, const std::string& name) {
    std::vector<olm::StoredRbac> roles, bindings;
    CO_RETURN_IF_ERROR(co_await ReadContent(csv, olm::RbacKind::kRole, name, roles));
    if (roles.empty()) co_return absl::OkStatus();
    CO_RETURN_IF_ERROR(co_await ReadContent(csv, olm::RbacKind::kRoleBinding, name, bindings));
    if (bindings.empty()) co_return absl::OkStatus();
    if (TakesTooLong(csv, roles.front(), bindings.front())) {
      snapshot_.too_large[name] = csv.facts.key.name;
      co_return absl::OkStatus();
    }
    for (olm::RbacPair& pair : olm::PairsOf(csv, roles, bindings)) {
      if (pair.rules.size() >= olm::kMostRules) {
        snapshot_.too_large[name] = csv.facts.key.name;
        continue;
      }
      snapshot_.pairs.push_back(std::move(pair));
    }
    co_return absl::OkStatus();
  }

  // Appends the original to `read`; nothing if it is gone or too large.
  StatusTask ReadContent(const olm::RbacSource& csv, olm::RbacKind kind, const std::string& name,
                         std::vector<olm::StoredRbac>& read) {
    const kube::NamespacedName key = {snapshot_.source, name};
    const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(olm::ResourceOf(kind), key);
    if (kube::IsNotFound(raw.status(), name)) co_return absl::OkStatus();
    CO_RETURN_IF_ERROR(raw.status());
    const size_t bytes = raw->json.size();
    if (bytes > kLarge || bytes_ + bytes > kAllPairs) {
      snapshot_.too_large[name] = csv.facts.key.name;
      co_return absl::OkStatus();
    }
    bytes_ += bytes;
    CO_ASSIGN_OR_RETURN(olm::StoredRbac stored, olm::ReadRbac(kind, raw->json));
    stored.object = {};
    read.push_back(std::move(stored));
    co_return absl::OkStatus();
  }

  kube::Client& client_;
  RbacSnapshot& snapshot_;
  size_t bytes_ = 0;
};

// The names of both a Role and a RoleBinding of a ClusterServiceVersion.
std::set<std::string> NamesOf(const Originals& roles, const Originals& bindings,
                              const std::string& csv) {
  std::set<std::string> names;
  const auto its_roles = roles.find(csv);
  const auto its_bindings = bindings.find(csv);
  if (its_roles == roles.end() || its_bindings == bindings.end()) return names;
  std::set_intersection(its_roles->second.begin(), its_roles->second.end(),
                        its_bindings->second.begin(), its_bindings->second.end(),
                        std::inserter(names, names.end()));
  return names;
}

// Reads the pairs of the existing ClusterServiceVersions. Holds one of these at a time, and its
// page.
StatusTask ReadPairs(kube::Client& client, const Originals& roles, const Originals& bindings,
                     RbacSnapshot& snapshot) {
  PairReader reader(client, snapshot);
  kube::Pager pages(client, olm::kCsvs,
                    Paged(snapshot.source, StrCat("!", olm::kCopiedFromLabel), kCsvPage));
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::optional<kube::ListPage> page, co_await pages.Next());
    if (!page) co_return absl::OkStatus();
    for (const kube::RawObject& raw : page->items) {
      const absl::StatusOr<olm::RbacSource> csv = olm::ReadRbacSource(raw.json);
      if (!csv.ok()) {
        CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
        snapshot.unread.merge(NamesOf(roles, bindings, facts.key.name));
        snapshot.unread_reason.Update(csv.status());
        continue;
      }
      if (!IsThere(csv->facts) || csv->copied) continue;
      const std::string& name = csv->facts.key.name;
      snapshot.csv_uids[name] = csv->facts.uid;
      if (!csv->operator_name.empty()) snapshot.operators[name] = csv->operator_name;
      CO_RETURN_IF_ERROR(co_await reader.Read(*csv, NamesOf(roles, bindings, name)));
    }
  }
}

StatusTask ReadCopiedCsvs(kube::Client& client, RbacSnapshot& snapshot) {
  kube::ListOptions options = Paged("", StrCat(olm::kCopiedFromLabel, "=", snapshot.source));
  options.metadata_only = true;
  co_return co_await kube::VisitAll(
      client, olm::kCsvs, options, [&snapshot](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const olm::StoredCopy copy, olm::ReadStoredCopy(raw.json));
        if (!copy.deleting && olm::IsProvenCopy(copy)) snapshot.copied_csvs[copy.key] = copy.uid;
        return absl::OkStatus();
      });
}

StatusTask ReadOperators(kube::Client& client, RbacSnapshot& snapshot) {
  for (const auto& [csv, name] : snapshot.operators) {
    if (snapshot.operator_uids.contains(name)) continue;
    const kube::NamespacedName key{"", name};
    const absl::StatusOr<kube::RawObject> raw = co_await client.Get(olm::kOperators, key);
    if (kube::IsNotFound(raw.status(), name) || kube::IsNotServed(raw.status())) continue;
    CO_RETURN_IF_ERROR(raw.status());
    CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
    if (!facts.deleting()) snapshot.operator_uids[name] = facts.uid;
  }
  co_return absl::OkStatus();
}

}  // namespace

bool RbacSnapshot::IsExplicit() const {
  if (groups.size() != 1) return false;
  const olm::TargetKind kind = olm::KindOfTargets(*groups.front());
  return kind == olm::TargetKind::kList || kind == olm::TargetKind::kSelector;
}

bool RbacSnapshot::SelectsByLabel() const {
  return IsExplicit() && olm::KindOfTargets(*groups.front()) == olm::TargetKind::kSelector;
}

bool RbacSnapshot::IsForAll() const {
  return groups.size() == 1 && olm::KindOfTargets(*groups.front()) == olm::TargetKind::kAll;
}

bool RbacSnapshot::LeavesAll() const { return !groups.empty() && !IsExplicit(); }

bool RbacSnapshot::Targets(std::string_view ns, const kube::LabelMap& labels) const {
  return IsExplicit() && ns != source && olm::Targets(*groups.front(), ns, labels);
}

olm::CopyOwners RbacSnapshot::OwnersIn(const std::string& csv, const std::string& ns) const {
  olm::CopyOwners owners{csv, "", "", ""};
  if (const auto copy = copied_csvs.find({ns, csv}); copy != copied_csvs.end()) {
    owners.csv_uid = copy->second;
  }
  if (const auto name = operators.find(csv); name != operators.end()) {
    owners.operator_name = name->second;
    const auto uid = operator_uids.find(name->second);
    if (uid != operator_uids.end()) owners.operator_uid = uid->second;
  }
  return owners;
}

Task<RbacSnapshot> ReadRbacSnapshot(kube::Client& client, Clock& clock, std::string source) {
  RbacSnapshot snapshot;
  snapshot.source = std::move(source);
  const std::string& from = snapshot.source;
  CO_RETURN_IF_ERROR(co_await ReadCopies(client, olm::RbacKind::kRole, from, snapshot.roles));
  CO_RETURN_IF_ERROR(
      co_await ReadCopies(client, olm::RbacKind::kRoleBinding, from, snapshot.bindings));
  CO_RETURN_IF_ERROR(co_await ReadCopiedCsvs(client, snapshot));
  snapshot.read_at = clock.Monotonic();
  Owners owners;
  Originals roles, bindings;
  CO_RETURN_IF_ERROR(co_await ReadOwners(client, from, owners));
  CO_RETURN_IF_ERROR(co_await ReadOriginals(client, olm::RbacKind::kRole, owners, snapshot, roles));
  CO_RETURN_IF_ERROR(
      co_await ReadOriginals(client, olm::RbacKind::kRoleBinding, owners, snapshot, bindings));
  CO_RETURN_IF_ERROR(co_await ReadPairs(client, roles, bindings, snapshot));
  const kube::ListOptions groups = Paged(snapshot.source, "");
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kOperatorGroups, groups,
      [&snapshot](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::OperatorGroupPtr group, olm::DecodeOperatorGroup(raw.json));
        if (snapshot.groups.size() < 2) snapshot.groups.push_back(std::move(group));
        return absl::OkStatus();
      }));
  CO_RETURN_IF_ERROR(co_await ReadOperators(client, snapshot));
  co_return snapshot;
}

StatusTask VisitCopies(kube::Client& client, olm::RbacKind kind, std::string source,
                       std::function<void(const olm::StoredRbac&)> visit) {
  const kube::ListOptions options = Paged("", StrCat(olm::kCopiedFromLabel, "=", source));
  co_return co_await kube::VisitAll(
      client, olm::ResourceOf(kind), options,
      [kind, &source, &visit](const kube::RawObject& raw) -> absl::Status {
        if (raw.json.size() > kLarge) return absl::OkStatus();
        const absl::StatusOr<olm::StoredRbac> stored = olm::ReadRbac(kind, raw.json);
        if (stored.ok() && olm::IsCopyFrom(*stored, source)) visit(*stored);
        return absl::OkStatus();
      });
}

Task<std::set<std::string>> ReadTargets(kube::Client& client, const RbacSnapshot& seen,
                                        std::set<std::string> namespaces) {
  std::set<std::string> targets;
  if (!seen.SelectsByLabel()) {
    for (const std::string& ns : namespaces) {
      if (seen.LeavesAll() || seen.Targets(ns, {})) targets.insert(ns);
    }
    co_return targets;
  }
  targets = std::move(namespaces);
  kube::ListOptions options = Paged("", "");
  options.metadata_only = true;
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, kube::kNamespaces, options,
      [&seen, &targets](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const olm::ObjectFacts ns, olm::DecodeObjectFacts(raw.json));
        if (!seen.Targets(ns.key.name, ns.labels)) {
          targets.erase(ns.key.name);
        }
        return absl::OkStatus();
      }));
  co_return targets;
}

Task<std::set<kube::NamespacedName>> ReadForeignlyBound(kube::Client& client,
                                                        const RbacSnapshot& seen,
                                                        std::set<std::string> namespaces) {
  std::map<std::string_view, const std::vector<olm::Subject>*> wanted;
  for (const olm::RbacPair& pair : seen.pairs) wanted[pair.name] = &pair.subjects;
  std::set<kube::NamespacedName> bound;
  const std::function<absl::Status(const kube::RawObject&)> visit =
      [&wanted, &namespaces, &bound](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const olm::StoredRbac stored,
                     olm::ReadRbac(olm::RbacKind::kRoleBinding, raw.json));
    const auto it = wanted.find(stored.role.name);
    if (it == wanted.end() || stored.role.kind != "Role") return absl::OkStatus();
    const std::string& ns = stored.facts.key.ns;
    const bool foreign = std::any_of(
        stored.subjects.begin(), stored.subjects.end(), [&it](const olm::Subject& subject) {
          return std::find(it->second->begin(), it->second->end(), subject) == it->second->end();
        });
    if (foreign && namespaces.contains(ns)) bound.insert({ns, stored.role.name});
    return absl::OkStatus();
  };
  std::vector<std::string> places{""};
  if (namespaces.size() <= kFewNamespaces) places.assign(namespaces.begin(), namespaces.end());
  for (const std::string& place : places) {
    const kube::ListOptions options = Paged(place, "");
    CO_RETURN_IF_ERROR(co_await kube::VisitAll(client, olm::kRoleBindings, options, visit));
  }
  co_return bound;
}

Task<BoundRoles> ReadBoundBeside(kube::Client& client,
                                 const std::map<kube::NamespacedName, std::string>& copies) {
  BoundRoles bound;
  if (copies.empty()) co_return bound;
  const kube::ListOptions options = Paged("", "");
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kRoleBindings, options,
      [&copies, &bound](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const olm::StoredRbac stored,
                         olm::ReadRbac(olm::RbacKind::kRoleBinding, raw.json));
        const kube::NamespacedName role = {stored.facts.key.ns, stored.role.name};
        const auto copy = stored.role.kind == "Role" ? copies.find(role) : copies.end();
        if (copy == copies.end()) return absl::OkStatus();
        const std::string& source = copy->second;
        const bool its_own = stored.facts.key == role && olm::IsCopyFrom(stored, source);
        const bool among_them = std::all_of(
            stored.subjects.begin(), stored.subjects.end(), [&source](const olm::Subject& subject) {
              return subject.kind == "ServiceAccount" && subject.ns == source;
            });
        if (!its_own || !among_them) bound[source].insert(role);
        return absl::OkStatus();
      }));
  co_return bound;
}

bool HasOperators(const storage::OperatorWorld& world, const std::string& ns) {
  const auto first = world.csvs().LowerBound({ns, ""});
  return !first.done() && first.key().ns == ns;
}

Task<std::vector<olm::StoredRbac>> ReadOrphans(kube::Client& client,
                                               storage::OperatorWorldPtr world) {
  std::map<std::string, std::vector<olm::StoredRbac>> by_source;
  for (const olm::RbacKind kind : {olm::RbacKind::kRole, olm::RbacKind::kRoleBinding}) {
    kube::ListOptions options = Paged("", std::string(olm::kCopiedFromLabel));
    options.metadata_only = true;
    CO_RETURN_IF_ERROR(co_await kube::VisitAll(
        client, olm::ResourceOf(kind), options,
        [kind, &world, &by_source](const kube::RawObject& raw) -> absl::Status {
          ASSIGN_OR_RETURN(olm::StoredRbac stored, ReadIdentity(kind, raw.json));
          const auto label = stored.facts.labels.find(olm::kCopiedFromLabel);
          if (label == stored.facts.labels.end()) return absl::OkStatus();
          const std::string source = label->second;
          if (HasOperators(*world, source) || !olm::IsCopyFrom(stored, source)) {
            return absl::OkStatus();
          }
          DropMarks(stored);
          by_source[source].push_back(std::move(stored));
          return absl::OkStatus();
        }));
  }
  std::vector<olm::StoredRbac> orphans;
  if (by_source.empty()) co_return orphans;
  kube::ListOptions options = Paged("", StrCat("!", olm::kCopiedFromLabel));
  options.metadata_only = true;
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kCsvs, options, [&by_source](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const olm::ObjectFacts csv, olm::DecodeObjectFacts(raw.json));
        by_source.erase(csv.key.ns);
        return absl::OkStatus();
      }));
  for (auto& [source, copies] : by_source) {
    std::move(copies.begin(), copies.end(), std::back_inserter(orphans));
  }
  co_return orphans;
}

}  // namespace steward::controllers
