#include "storage/embedded/lifecycle/lifecycle.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/async/broadcast.h"
#include "base/json/json_access.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "storage/embedded/store/object_body.h"
#include "storage/embedded/types/builtin_types.h"
#include "storage/embedded/types/crd.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr int64_t kBatch = 200;
constexpr size_t kBatchBytes = 4 << 20;
constexpr int64_t kPresent = std::numeric_limits<int64_t>::max();
constexpr absl::Duration kRetry = absl::Seconds(1);

// Most bodies have neither word. If a body has a word in another place, that only costs a needless
// look.
bool MayMatter(std::string_view body) {
  return body.find("\"ownerReferences\"") != std::string_view::npos ||
         body.find("\"deletionTimestamp\"") != std::string_view::npos;
}

struct Cleared {
  bool more = false;  // some objects were not looked at
  bool empty = true;  // none of the objects that were looked at is left
};

// Deletes objects of `type` whose keys begin with `prefix`, some hundred at most.
absl::StatusOr<Cleared> ClearObjects(Transaction& transaction, const kube::ResourceType& type,
                                     const std::string& prefix, const ContextSource& context) {
  Cleared cleared;
  KeyRange range{prefix, std::nullopt};
  int64_t deleted = 0;
  while (true) {
    ASSIGN_OR_RETURN(
        const std::vector<Version> versions,
        transaction.table().List(type.gvr().GroupResource(), range, kPresent, kBatch, kBatchBytes));
    if (versions.empty()) return cleared;
    for (const Version& version : versions) {
      range.after = version.key;
      ASSIGN_OR_RETURN(const json::object metadata, ParseMetadata(version.body));
      if (!metadata.contains("deletionTimestamp")) {
        if (++deleted > kBatch) return Cleared{true, false};
        const kube::DeleteOptions options;
        RETURN_IF_ERROR(
            DeleteStored(transaction, type, NameOf(version.key), options, context).status());
      }
      ASSIGN_OR_RETURN(const std::optional<json::object> left, transaction.Get(type, version.key));
      if (left.has_value()) cleared.empty = false;
    }
  }
}

}  // namespace

Lifecycle::Lifecycle(Store& store, Clock& clock, ContextSource context)
    : store_(store), clock_(clock), context_(std::move(context)) {}

VoidTask Lifecycle::Run() {
  while (true) {
    const Broadcast::Ticket ticket = store_.committed().Now();
    absl::Status status = absl::OkStatus();
    if (!swept_) status = co_await Sweep();
    if (status.ok()) status = co_await Follow();
    if (status.ok()) status = co_await Progress();
    if (kube::IsExpired(status)) swept_ = false;
    if (!status.ok()) {
      log::Warning("Objects could not be cleaned up", {{"error", status}});
      co_await clock_.Sleep(kRetry);
    } else if (store_.revision() == cursor_) {
      co_await store_.committed().WaitSince(ticket, std::chrono::steady_clock::time_point::max());
    }
  }
}

StatusTask Lifecycle::Sweep() {
  const int64_t revision = store_.revision();
  const CatalogPtr catalog = store_.catalog();
  for (const kube::ResourceType* type : catalog->StoredTypes()) {
    CO_RETURN_IF_ERROR(co_await SweepType(*type, revision));
  }
  cursor_ = revision;
  swept_ = true;
  co_return absl::OkStatus();
}

StatusTask Lifecycle::SweepType(const kube::ResourceType& type, int64_t revision) {
  const std::string resource = type.gvr().GroupResource();
  KeyRange range;
  while (true) {
    std::function<absl::StatusOr<std::vector<Version>>(VersionTable&)> read =
        [&](VersionTable& table) -> absl::StatusOr<std::vector<Version>> {
      ASSIGN_OR_RETURN(const int64_t compacted, table.CompactedRevision());
      if (revision < compacted) return kube::ToStatus(kube::Expired("the past was dropped"));
      return table.List(resource, range, revision, kBatch, kBatchBytes);
    };
    CO_ASSIGN_OR_RETURN(const std::vector<Version> versions, co_await store_.Read(std::move(read)));
    if (versions.empty()) co_return absl::OkStatus();
    for (const Version& version : versions) Note(resource, version.key, version.body);
    range.after = versions.back().key;
  }
}

StatusTask Lifecycle::Follow() {
  const int64_t upto = store_.revision();
  while (cursor_ < upto) {
    std::function<absl::StatusOr<std::vector<Change>>(VersionTable&)> read =
        [this, upto](VersionTable& table) -> absl::StatusOr<std::vector<Change>> {
      ASSIGN_OR_RETURN(const int64_t compacted, table.CompactedRevision());
      if (cursor_ < compacted) return kube::ToStatus(kube::Expired("the past was dropped"));
      return table.Changes("", cursor_, upto, kBatch, kBatchBytes);
    };
    CO_ASSIGN_OR_RETURN(const std::vector<Change> changes, co_await store_.Read(std::move(read)));
    for (const Change& change : changes) {
      if (change.body.has_value()) {
        Note(change.resource, change.key, *change.body);
      } else if (change.previous.has_value()) {
        CO_RETURN_IF_ERROR(co_await NoteDependentsOf(*change.previous));
      }
      cursor_ = change.revision;
    }
    if (changes.empty()) cursor_ = upto;
  }
  co_return absl::OkStatus();
}

void Lifecycle::Note(const std::string& resource, const std::string& key, const std::string& body) {
  if (!MayMatter(body)) return;
  const absl::StatusOr<json::object> metadata = ParseMetadata(body);
  if (!metadata.ok()) {
    log::Error("A stored object cannot be read", {{"resource", resource}, {"key", key}});
    return;
  }
  if (metadata->contains("deletionTimestamp")) {
    if (resource == kNamespaces) namespaces_.insert(key);
    if (resource == kCustomResourceDefinitions) definitions_.insert(key);
    if (NeedsRelease(*metadata)) releasing_.insert({resource, key});
  }
  if (metadata->contains("ownerReferences")) suspects_.insert({resource, key});
}

StatusTask Lifecycle::NoteDependentsOf(const std::string& body) {
  CO_ASSIGN_OR_RETURN(const json::object metadata, ParseMetadata(body));
  const std::string uid(StringAt(metadata, "uid"));
  std::function<absl::StatusOr<std::vector<Dependent>>(VersionTable&)> read =
      [&uid](VersionTable& table) { return table.DependentsOf(uid); };
  CO_ASSIGN_OR_RETURN(const std::vector<Dependent> dependents,
                      co_await store_.Read(std::move(read)));
  for (const Dependent& dependent : dependents) {
    suspects_.insert({dependent.resource, dependent.key});
  }
  co_return absl::OkStatus();
}

// Each step runs regardless of the others' failures, and a failed one is kept for later. Returns
// the first error.
StatusTask Lifecycle::Progress() {
  absl::Status outcome = absl::OkStatus();
  outcome.Update(co_await CollectSuspects());
  outcome.Update(co_await ReleaseOwners());
  const std::vector<std::string> namespaces(namespaces_.begin(), namespaces_.end());
  for (const std::string& name : namespaces) outcome.Update(co_await ClearNamespace(name));
  const std::vector<std::string> definitions(definitions_.begin(), definitions_.end());
  for (const std::string& name : definitions) outcome.Update(co_await ClearDefinition(name));
  co_return outcome;
}

StatusTask Lifecycle::CollectSuspects() {
  absl::Status outcome = absl::OkStatus();
  const std::vector<ObjectKey> suspects(suspects_.begin(), suspects_.end());
  for (const ObjectKey& suspect : suspects) {
    std::function<absl::Status(Transaction&)> write = [this, &suspect](Transaction& transaction) {
      return CollectDependent(transaction, suspect, context_);
    };
    const absl::Status collected = co_await store_.Write(std::move(write));
    if (collected.ok()) suspects_.erase(suspect);
    outcome.Update(collected);
  }
  co_return outcome;
}

StatusTask Lifecycle::ReleaseOwners() {
  absl::Status outcome = absl::OkStatus();
  const std::vector<ObjectKey> owners(releasing_.begin(), releasing_.end());
  for (const ObjectKey& owner : owners) {
    bool released = false;
    std::function<absl::Status(Transaction&)> write = [&](Transaction& transaction) {
      ASSIGN_OR_RETURN(released, ReleaseOwner(transaction, owner, context_));
      return absl::OkStatus();
    };
    const absl::Status done = co_await store_.Write(std::move(write));
    if (done.ok() && released) releasing_.erase(owner);
    outcome.Update(done);
  }
  co_return outcome;
}

StatusTask Lifecycle::ClearNamespace(const std::string& name) {
  bool more = true, gone = false;
  while (more) {
    std::function<absl::Status(Transaction&)> write = [&](Transaction& transaction) {
      const kube::ResourceType* namespaces = transaction.catalog().FindStored(kNamespaces);
      ASSIGN_OR_RETURN(const std::optional<json::object> found, transaction.Get(*namespaces, name));
      more = false;
      gone = !found.has_value() || !found->at("metadata").as_object().contains("deletionTimestamp");
      if (gone) return absl::OkStatus();
      bool empty = true;
      for (const kube::ResourceType* type : transaction.catalog().StoredTypes()) {
        if (!type->namespaced) continue;
        ASSIGN_OR_RETURN(const Cleared cleared,
                         ClearObjects(transaction, *type, name + "/", context_));
        empty = empty && cleared.empty;
        more = more || cleared.more;
      }
      return empty ? FinalizeNamespace(transaction, name) : absl::OkStatus();
    };
    CO_RETURN_IF_ERROR(co_await store_.Write(std::move(write)));
  }
  if (gone) namespaces_.erase(name);
  co_return absl::OkStatus();
}

StatusTask Lifecycle::ClearDefinition(const std::string& name) {
  bool more = true, gone = false;
  while (more) {
    std::function<absl::Status(Transaction&)> write = [&](Transaction& transaction) {
      const kube::ResourceType* crds = transaction.catalog().FindStored(kCustomResourceDefinitions);
      ASSIGN_OR_RETURN(const std::optional<json::object> found, transaction.Get(*crds, name));
      more = false;
      gone = !found.has_value() || !found->at("metadata").as_object().contains("deletionTimestamp");
      if (gone) return absl::OkStatus();
      // Objects of versions that are no longer served are included: they would come back with the
      // definition.
      ASSIGN_OR_RETURN(const Cleared cleared,
                       ClearObjects(transaction, StoredTypeOf(*found), "", context_));
      more = cleared.more;
      if (!cleared.empty) return absl::OkStatus();
      return RemoveFinalizer(transaction, *crds, name, kCustomResourceCleanup);
    };
    CO_RETURN_IF_ERROR(co_await store_.Write(std::move(write)));
  }
  if (gone) definitions_.erase(name);
  co_return absl::OkStatus();
}

}  // namespace steward::storage
