#include "controllers/payload/upgradeable_report.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/meta/condition.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/time.h"
#include "kube/meta/write_options.h"
#include "olm/payload/payload_record.h"
#include "payload/cluster_choices.h"
#include "payload/object_applier.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::string_view kCondition = "Upgradeable";

}  // namespace

StatusTask ReportUpgradeable(kube::Client& client, kube::RestMapper& mapper, Clock& clock,
                             std::string holding) {
  const kube::GroupVersionKind gvk = {"config.openshift.io", "v1", "ClusterOperator"};
  CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping, co_await mapper.Find(gvk));
  if (!mapping) co_return absl::OkStatus();
  const kube::NamespacedName name = {"", payload::kPayloadOperator};
  kube::WriteOptions options;
  options.field_manager = payload::kFieldManager;
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(mapping->gvr, name);
  json::value live;
  if (kube::IsNotFound(raw.status(), name.name)) {
    const json::value object = {{"apiVersion", gvk.ApiVersion()},
                                {"kind", gvk.kind},
                                {"metadata", {{"name", name.name}}},
                                {"spec", json::object()}};
    CO_RETURN_IF_ERROR((co_await client.Create(mapping->gvr, "", object, options)).status());
  } else {
    CO_RETURN_IF_ERROR(raw.status());
    CO_ASSIGN_OR_RETURN(live, ParseJson(raw->json));
  }
  const json::object* said =
      live.is_object() ? kube::ConditionOf(live.get_object(), kCondition) : nullptr;
  const json::object before = said == nullptr ? json::object() : *said;
  json::object condition = {
      {"type", kCondition},
      {"status", holding.empty() ? "True" : "False"},
      {"reason", holding.empty() ? std::string_view("AsExpected") : olm::kDeletesInProgress},
      {"message", holding.empty() ? std::string_view("No removal of the payload is under way")
                                  : std::string_view(holding)}};
  bool same = true;
  for (const char* key : {"status", "reason", "message"}) {
    same = same && StringAt(before, key) == StringAt(condition, key);
  }
  if (same) co_return absl::OkStatus();
  const bool turned = StringAt(before, "status") != StringAt(condition, "status");
  condition["lastTransitionTime"] = turned ? kube::FormatRfc3339(clock.Now())
                                           : std::string(StringAt(before, "lastTransitionTime"));
  json::object status;
  // Only Steward writes conditions of this ClusterOperator, so this is the whole list.
  status["conditions"] = json::array{std::move(condition)};
  json::object patch;
  patch["status"] = std::move(status);
  options.subresource = "status";
  const json::value object = std::move(patch);
  co_return (
      co_await client.Patch(mapping->gvr, name, kube::PatchType::kJsonMerge, object, options))
      .status();
}

}  // namespace steward::controllers
