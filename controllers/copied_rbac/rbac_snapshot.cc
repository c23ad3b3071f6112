#include "controllers/copied_rbac/rbac_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
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
#include "olm/cleanup/object_facts.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "olm/copy/stored_copy.h"
#include "olm/decode.h"
#include "olm/resources.h"
#include "olm/targets.h"

namespace steward::controllers {
namespace {

constexpr int64_t kPage = 500;
// ClusterServiceVersions are tens of kB each.
constexpr int64_t kCsvPage = 50;
// For more namespaces all of the cluster is listed.
constexpr size_t kFewNamespaces = 8;
// Copies of more bytes are read when they are looked at.
constexpr size_t kLargeCopy = size_t{64} << 10;

kube::ListOptions Paged(std::string ns, std::string selector, int64_t limit = kPage) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(selector);
  options.limit = limit;
  return options;
}

// Drops what a stored object holds beside its identity.
void DropContent(olm::StoredRbac& stored) {
  stored.facts.labels.clear();
  stored.owners.clear();
  stored.rules.clear();
  stored.subjects.clear();
  stored.has_content = false;
}

// Holds the content of copies of these names.
StatusTask ReadCopies(kube::Client& client, olm::RbacKind kind, const std::string& source,
                      const std::set<std::string>& names, StoredCopies& copies) {
  const kube::ListOptions options = Paged("", StrCat(olm::kCopiedFromLabel, "=", source));
  co_return co_await kube::VisitAll(
      client, olm::ResourceOf(kind), options,
      [kind, &source, &names, &copies](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::StoredRbac stored, olm::ReadRbac(kind, raw.json));
        if (!olm::IsCopyFrom(stored, source)) return absl::OkStatus();
        const kube::NamespacedName key = stored.facts.key;
        stored.object = {};
        if (raw.json.size() > kLargeCopy || !names.contains(key.name)) DropContent(stored);
        copies.insert_or_assign(key, std::move(stored));
        return absl::OkStatus();
      });
}

StatusTask ReadOriginals(kube::Client& client, olm::RbacKind kind, const std::string& source,
                         std::vector<olm::StoredRbac>& originals) {
  const kube::ListOptions options =
      Paged(source, StrCat(olm::kOwnerKindLabel, "=", olm::kOwnerKind));
  co_return co_await kube::VisitAll(client, olm::ResourceOf(kind), options,
                                    [kind, &originals](const kube::RawObject& raw) -> absl::Status {
                                      ASSIGN_OR_RETURN(olm::StoredRbac stored,
                                                       olm::ReadRbac(kind, raw.json));
                                      originals.push_back(std::move(stored));
                                      return absl::OkStatus();
                                    });
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
  std::vector<olm::StoredRbac> roles, bindings;
  CO_RETURN_IF_ERROR(co_await ReadOriginals(client, olm::RbacKind::kRole, snapshot.source, roles));
  std::set<std::string> names;
  for (const olm::StoredRbac& role : roles) names.insert(role.facts.key.name);
  roles.clear();
  CO_RETURN_IF_ERROR(
      co_await ReadCopies(client, olm::RbacKind::kRole, snapshot.source, names, snapshot.roles));
  CO_RETURN_IF_ERROR(co_await ReadCopies(client, olm::RbacKind::kRoleBinding, snapshot.source,
                                         names, snapshot.bindings));
  CO_RETURN_IF_ERROR(co_await ReadCopiedCsvs(client, snapshot));
  snapshot.read_at = clock.Monotonic();
  CO_RETURN_IF_ERROR(co_await ReadOriginals(client, olm::RbacKind::kRole, snapshot.source, roles));
  CO_RETURN_IF_ERROR(
      co_await ReadOriginals(client, olm::RbacKind::kRoleBinding, snapshot.source, bindings));
  const kube::ListOptions csvs =
      Paged(snapshot.source, StrCat("!", olm::kCopiedFromLabel), kCsvPage);
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kCsvs, csvs,
      [&snapshot, &roles, &bindings](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const olm::RbacSource csv, olm::ReadRbacSource(raw.json));
        const bool goes = csv.facts.deleting() && !olm::WaitsForCleanup(csv.facts);
        if (goes || csv.copied) return absl::OkStatus();
        const std::string& name = csv.facts.key.name;
        snapshot.csv_uids[name] = csv.facts.uid;
        if (!csv.operator_name.empty()) snapshot.operators[name] = csv.operator_name;
        for (olm::RbacPair& pair : olm::PairsOf(csv, roles, bindings)) {
          snapshot.pairs.push_back(std::move(pair));
        }
        return absl::OkStatus();
      }));
  const kube::ListOptions groups = Paged(snapshot.source, "");
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kOperatorGroups, groups,
      [&snapshot](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::OperatorGroupPtr group, olm::DecodeOperatorGroup(raw.json));
        snapshot.groups.push_back(std::move(group));
        return absl::OkStatus();
      }));
  CO_RETURN_IF_ERROR(co_await ReadOperators(client, snapshot));
  co_return snapshot;
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
          ASSIGN_OR_RETURN(olm::StoredRbac stored, olm::ReadRbac(kind, raw.json));
          const auto label = stored.facts.labels.find(olm::kCopiedFromLabel);
          if (label == stored.facts.labels.end()) return absl::OkStatus();
          const std::string source = label->second;
          if (HasOperators(*world, source) || !olm::IsCopyFrom(stored, source)) {
            return absl::OkStatus();
          }
          stored.object = {};
          DropContent(stored);
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
