#include "controllers/runtime/policy_watch.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/clock/time_limit.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/admission_policy.h"
#include "kube/meta/errors.h"
#include "kube/meta/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

const kube::GroupVersionKind kLease = {"coordination.k8s.io", "v1", "Lease"};

// Reads an object; nullopt: it does not exist.
Task<std::optional<json::object>> Read(kube::Client& client, kube::GroupVersionResource gvr,
                                       kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(gvr, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return std::optional<json::object>();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(json::value object, ParseJson(raw->json));
  if (!object.is_object()) co_return absl::DataLossError(StrCat(name.name, " is no object"));
  co_return std::optional<json::object>(std::move(object.get_object()));
}

}  // namespace

PolicyWatch::PolicyWatch(kube::Client& client, Clock& clock, EventRecorder& events,
                         prometheus::Registry& registry, const std::set<std::string>& policies,
                         PolicyWatchOptions options)
    : client_(client), clock_(clock), events_(events), options_(std::move(options)) {
  auto& family = GaugeFamily(registry, "steward_policy_missing",
                             "1: the admission policy, which narrows what this process may do, is "
                             "not known to be in force");
  for (const std::string& name : policies) {
    policies_.push_back({name, family.Add({{"policy", name}}, 1), ""});
  }
}

VoidTask PolicyWatch::Run() {
  while (true) {
    for (Watched& policy : policies_) {
      Task<std::string> look = Look(policy.name);
      Apply(policy, co_await WithTimeout(clock_, options_.timeout, policy.name, std::move(look)));
    }
    co_await clock_.Sleep(options_.period);
  }
}

Task<std::string> PolicyWatch::Look(std::string name) {
  const kube::NamespacedName key = {"", name};
  CO_ASSIGN_OR_RETURN(const std::optional<json::object> policy,
                      co_await Read(client_, kube::kPolicies, key));
  if (!policy.has_value()) co_return std::string("does not exist");
  const std::string_view weak = kube::WhyPolicyIsWeak(*policy);
  if (!weak.empty()) co_return std::string(weak);
  CO_ASSIGN_OR_RETURN(const std::optional<json::object> binding,
                      co_await Read(client_, kube::kPolicyBindings, key));
  if (!binding.has_value() ||
      !kube::DeniesEverywhere(*binding, name, kube::TakesParameters(*policy))) {
    co_return std::string("has no binding of its name that denies everywhere");
  }
  co_return std::string();
}

void PolicyWatch::Apply(Watched& policy, const absl::StatusOr<std::string>& wrong) {
  policy.missing.Set(wrong.ok() && wrong->empty() ? 0 : 1);
  if (!wrong.ok()) {
    log::Warning("It is not known whether an admission policy is in force",
                 {{"policy", policy.name}, {"err", wrong.status()}});
    return;
  }
  const bool first = !std::exchange(policy.looked_at, true);
  if (first && !wrong->empty()) return;
  if (std::exchange(policy.told, *wrong) == *wrong) return;
  const ObjectReference about = {kLease, options_.lease, ""};
  if (wrong->empty()) {
    log::Info("An admission policy is in force again", {{"policy", policy.name}});
    events_.Record(about, EventType::kNormal, "PolicyInForce",
                   StrCat("ValidatingAdmissionPolicy ", policy.name, " is in force again"));
    return;
  }
  const std::string message =
      StrCat("ValidatingAdmissionPolicy ", policy.name, " ", *wrong,
             ": whoever has this account's token may do more than it is for. Apply the manifests");
  log::Warning(message);
  events_.Record(about, EventType::kWarning, "PolicyMissing", message);
}

}  // namespace steward::controllers
