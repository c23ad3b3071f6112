#include "controllers/cleanup/guards/protection_reader.h"

#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "base/async/in_flight.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "olm/cleanup/names.h"

namespace steward::controllers {
namespace json = boost::json;

using ProtectionRead = olm::Read<olm::ProtectionFacts>;

boost::asio::awaitable<ProtectionRead> ProtectionReader::Look() {
  olm::ProtectionPolicies policies;
  std::vector<json::object> bindings;
  absl::Status opt_in, uninstall, copied_from, bound;
  co_await ForEachInFlight(4, width_, [&](size_t i) {
    if (i == 0) return ReadPolicy(olm::kOptInPolicy, policies.opt_in, opt_in);
    if (i == 1) return ReadPolicy(olm::kUninstallPolicy, policies.uninstall, uninstall);
    if (i == 2) return ReadPolicy(olm::kCopiedFromPolicy, policies.copied_from, copied_from);
    return ReadBindings(bindings, bound);
  });
  for (const absl::Status& status : {opt_in, uninstall, bound}) {
    if (!status.ok()) co_return ProtectionRead::Unreadable(Describe(status));
  }
  // A policy that could not be read counts as missing.
  if (!copied_from.ok()) policies.copied_from.reset();
  co_return ProtectionRead::Ok(olm::JudgeProtection(policies, bindings));
}

VoidTask ProtectionReader::ReadPolicy(std::string_view name, Policy& policy,
                                      absl::Status& outcome) {
  const kube::NamespacedName key{"", std::string(name)};
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kPolicies, key);
  if (kube::IsNotFound(raw.status(), name)) co_return;
  outcome = raw.status();
  if (!outcome.ok()) co_return;
  absl::StatusOr<json::value> object = ParseJson(raw->json);
  outcome = object.status();
  if (!outcome.ok()) co_return;
  if (!object->is_object()) {
    outcome = absl::DataLossError("the policy is no object");
    co_return;
  }
  policy = std::move(object->get_object());
}

VoidTask ProtectionReader::ReadBindings(std::vector<json::object>& bindings,
                                        absl::Status& outcome) {
  outcome = co_await ListLive(client_, kPolicyBindings, "", "", Detail::kWhole,
                              [&bindings](const kube::RawObject& raw) -> absl::Status {
                                ASSIGN_OR_RETURN(json::value binding, ParseJson(raw.json));
                                if (!binding.is_object()) {
                                  return absl::InvalidArgumentError("a binding is no object");
                                }
                                bindings.push_back(std::move(binding.get_object()));
                                return absl::OkStatus();
                              });
}

}  // namespace steward::controllers
