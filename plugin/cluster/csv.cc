#include "plugin/cluster/csv.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <functional>
#include <utility>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/protection.h"
#include "olm/copy.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

// Conflicts come from other writers; this many in a row are not expected.
constexpr int kTries = 10;

void DecodeConditions(const json::object& status, std::vector<Csv::Condition>& conditions) {
  const json::array* list = ArrayAt(status, "conditions");
  if (list == nullptr) return;
  for (const json::value& value : *list) {
    if (!value.is_object()) continue;
    const std::string_view reason = StringAt(value.get_object(), "reason");
    for (const std::string_view ours :
         {olm::kWaitingOnCleanup, olm::kCleanupStalled, olm::kCleanupRefused, olm::kCleanupUnknown,
          olm::kRightsHeld, olm::kRightsMayBeLost, olm::kOptInUnconfirmed}) {
      if (reason != ours) continue;
      conditions.push_back(
          {std::string(reason), std::string(StringAt(value.get_object(), "message"))});
    }
  }
}

absl::Status Replaced(const kube::NamespacedName& name) {
  return absl::NotFoundError(StrCat("the ClusterServiceVersion ", name.ns, "/", name.name,
                                    " is another one now than it was; look at it again"));
}

// Returns the patch to merge into the object; null = no change is needed.
using PatchOf = std::function<absl::StatusOr<json::value>(const Csv& csv)>;

json::value WithoutOptIn(const olm::CsvFacts& facts) {
  if (!facts.HasFinalizer(olm::kCleanupFinalizer)) return nullptr;
  json::array finalizers;
  for (const std::string& finalizer : facts.finalizers) {
    if (finalizer != olm::kCleanupFinalizer) finalizers.emplace_back(finalizer);
  }
  return {{"metadata",
           {{"resourceVersion", facts.resource_version}, {"finalizers", std::move(finalizers)}}}};
}

json::value WithOptIn(const olm::CsvFacts& facts, const std::string& proof) {
  const bool confirmed = proof.empty() || facts.confirmed == proof;
  const bool opted_in = facts.HasFinalizer(olm::kCleanupFinalizer);
  if (opted_in && confirmed) return nullptr;
  json::object metadata = {{"resourceVersion", facts.resource_version}};
  if (!opted_in) {
    json::array finalizers(facts.finalizers.begin(), facts.finalizers.end());
    finalizers.emplace_back(std::string(olm::kCleanupFinalizer));
    metadata["finalizers"] = std::move(finalizers);
  }
  if (!confirmed) metadata["labels"] = {{olm::kConfirmedLabel, proof}};
  return {{"metadata", std::move(metadata)}};
}

json::value WithCleanupDisabled(const olm::CsvFacts& facts) {
  if (!facts.cleanup_enabled) return nullptr;
  return {{"metadata", {{"resourceVersion", facts.resource_version}}},
          {"spec", {{"cleanup", {{"enabled", false}}}}}};
}

StatusTask Change(kube::Client& client, kube::NamespacedName name, std::string uid, PatchOf patch,
                  bool dry_run) {
  kube::WriteOptions options;
  options.dry_run = dry_run;
  options.field_manager = kFieldManager;
  absl::Status status;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    CO_ASSIGN_OR_RETURN(const Csv csv, co_await ReadCsv(client, name));
    if (csv.facts.uid != uid) co_return Replaced(name);
    CO_ASSIGN_OR_RETURN(const json::value wanted, patch(csv));
    if (wanted.is_null()) co_return absl::OkStatus();
    const absl::StatusOr<json::value> answer =
        co_await client.Patch(kCsvs, name, kube::PatchType::kJsonMerge, wanted, options);
    status = answer.status();
    if (!kube::IsConflict(status)) co_return status;
  }
  co_return status;
}

}  // namespace

const Csv::Condition* Csv::Find(std::string_view reason) const {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [reason](const Condition& condition) { return condition.reason == reason; });
  return found == conditions.end() ? nullptr : &*found;
}

json::object IdentityJson(const olm::CsvFacts& facts) {
  return {{"namespace", facts.key.ns}, {"name", facts.key.name}, {"uid", facts.uid}};
}

Task<Csv> ReadCsv(kube::Client& client, kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(kCsvs, name);
  if (!raw.ok()) {
    co_return WithContext(StrCat("reading the ClusterServiceVersion ", name.ns, "/", name.name),
                          raw.status());
  }
  Csv csv;
  CO_ASSIGN_OR_RETURN(csv.facts, olm::DecodeCsvFacts(raw->json));
  olm::CsvTerms with_apis;
  with_apis.owned_apiservices = true;
  CO_ASSIGN_OR_RETURN(olm::CsvFacts all, olm::DecodeCsvFacts(raw->json, with_apis));
  csv.owned_apis = std::move(all.owned_apis);
  CO_ASSIGN_OR_RETURN(const json::value value, ParseObject(raw->json));
  if (const json::object* spec = ObjectAt(value.get_object(), "spec")) {
    csv.display_name = StringAt(*spec, "displayName");
    csv.version = StringAt(*spec, "version");
  }
  if (const json::object* status = ObjectAt(value.get_object(), "status")) {
    DecodeConditions(*status, csv.conditions);
  }
  co_return std::move(csv);
}

StatusTask OptIn(kube::Client& client, kube::NamespacedName name, std::string uid,
                 std::string proof, CsvCheck agreed, bool dry_run) {
  PatchOf patch = [proof = std::move(proof),
                   agreed = std::move(agreed)](const Csv& csv) -> absl::StatusOr<json::value> {
    RETURN_IF_ERROR(agreed(csv));
    return WithOptIn(csv.facts, proof);
  };
  return Change(client, std::move(name), std::move(uid), std::move(patch), dry_run);
}

StatusTask OptOut(kube::Client& client, kube::NamespacedName name, std::string uid, bool dry_run) {
  PatchOf patch = [](const Csv& csv) { return WithoutOptIn(csv.facts); };
  return Change(client, std::move(name), std::move(uid), std::move(patch), dry_run);
}

Task<std::string> ReadOptInProof(kube::Client& client) {
  const kube::NamespacedName name{"", std::string(olm::kOptInPolicy)};
  const auto is_absent = [&name](const absl::Status& status) {
    return kube::IsNotFound(status, name.name) || kube::IsNotServed(status);
  };
  const absl::StatusOr<json::value> policy = co_await ReadObject(client, kPolicies, name);
  if (is_absent(policy.status())) co_return std::string();
  CO_RETURN_IF_ERROR(policy.status());
  const absl::StatusOr<json::value> binding = co_await ReadObject(client, kPolicyBindings, name);
  if (is_absent(binding.status())) co_return std::string();
  CO_RETURN_IF_ERROR(binding.status());
  olm::ProtectionPolicies policies;
  policies.opt_in = policy->as_object();
  co_return olm::JudgeProtection(policies, {binding->as_object()}).opt_in.proof;
}

StatusTask DisableCleanup(kube::Client& client, kube::NamespacedName name, std::string uid,
                          bool dry_run) {
  PatchOf patch = [](const Csv& csv) { return WithCleanupDisabled(csv.facts); };
  return Change(client, std::move(name), std::move(uid), std::move(patch), dry_run);
}

StatusTask DeleteCsv(kube::Client& client, olm::CsvFacts facts, bool dry_run) {
  kube::DeleteOptions options;
  options.uid = facts.uid;
  options.resource_version = facts.resource_version;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  options.dry_run = dry_run;
  const absl::StatusOr<json::value> answer = co_await client.Delete(kCsvs, facts.key, options);
  co_return answer.status();
}

}  // namespace steward::plugin
