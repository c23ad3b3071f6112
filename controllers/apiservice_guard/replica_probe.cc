#include "controllers/apiservice_guard/replica_probe.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

const kube::GroupVersionResource kServices = {"", "v1", "services"};
constexpr size_t kMostReplicas = 8;

std::optional<uint16_t> PortAt(const json::object& parent) {
  const json::value* port = parent.if_contains("port");
  if (port == nullptr || !port->is_int64() || port->get_int64() <= 0 ||
      port->get_int64() > std::numeric_limits<uint16_t>::max()) {
    return std::nullopt;
  }
  return static_cast<uint16_t>(port->get_int64());
}

// The Service's name for the port; nullopt = it has no such port.
std::optional<std::string> PortName(const json::object& spec, uint16_t wanted) {
  const json::array* ports = ArrayAt(spec, "ports");
  if (ports == nullptr) return std::nullopt;
  for (const json::value& each : *ports) {
    const json::object* port = each.if_object();
    if (port != nullptr && PortAt(*port) == wanted) return std::string(StringAt(*port, "name"));
  }
  return std::nullopt;
}

bool IsReady(const json::object& endpoint) {
  const json::object* conditions = ObjectAt(endpoint, "conditions");
  const json::value* ready = conditions == nullptr ? nullptr : conditions->if_contains("ready");
  // If absent, readiness is unknown and counts as ready.
  return ready == nullptr || !ready->is_bool() || ready->get_bool();
}

void AddReady(const json::object& slice, std::string_view port_name,
              std::vector<ReplicaAddress>& found) {
  const json::array* ports = ArrayAt(slice, "ports");
  const json::array* endpoints = ArrayAt(slice, "endpoints");
  if (ports == nullptr || endpoints == nullptr) return;
  std::optional<uint16_t> number;
  for (const json::value& each : *ports) {
    const json::object* port = each.if_object();
    if (port != nullptr && StringAt(*port, "name") == port_name) number = PortAt(*port);
  }
  if (!number.has_value()) return;
  for (const json::value& each : *endpoints) {
    const json::object* endpoint = each.if_object();
    const json::array* addresses = endpoint == nullptr ? nullptr : ArrayAt(*endpoint, "addresses");
    // All addresses of an endpoint belong to the same replica, so the first suffices.
    if (addresses == nullptr || addresses->empty() || !addresses->front().is_string() ||
        !IsReady(*endpoint) || found.size() >= kMostReplicas) {
      continue;
    }
    found.push_back({std::string(View(addresses->front().get_string())), *number});
  }
}

Task<std::vector<ReplicaAddress>> ReadyReplicas(kube::Client& client, const ServiceTarget& target) {
  std::vector<ReplicaAddress> found;
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(kServices, target.service);
  if (kube::IsNotFound(raw.status(), target.service.name)) co_return found;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value service, ParseJson(raw->json));
  const json::object* members = service.if_object();
  const json::object* spec = members == nullptr ? nullptr : ObjectAt(*members, "spec");
  if (spec == nullptr) co_return absl::DataLossError("the Service has no spec");
  if (StringAt(*spec, "type") == "ExternalName") {
    found.push_back({std::string(StringAt(*spec, "externalName")), target.port});
    co_return found;
  }
  const std::optional<std::string> port_name = PortName(*spec, target.port);
  if (!port_name.has_value()) co_return found;
  kube::ListOptions options;
  options.ns = target.service.ns;
  options.label_selector = StrCat("kubernetes.io/service-name=", target.service.name);
  CO_ASSIGN_OR_RETURN(const kube::ListPage page,
                      co_await client.List(kube::kEndpointSlices, options));
  for (const kube::RawObject& item : page.items) {
    CO_ASSIGN_OR_RETURN(const json::value slice, ParseJson(item.json));
    if (slice.is_object()) AddReady(slice.get_object(), *port_name, found);
  }
  co_return found;
}

}  // namespace

Task<ReplicaAnswer> ProbeReplicas(kube::Client& client, ReplicaDialer& dialer,
                                  const ServiceTarget& target) {
  ReplicaAnswer best = ReplicaAnswer::kSilent;
  CO_ASSIGN_OR_RETURN(const std::vector<ReplicaAddress> replicas,
                      co_await ReadyReplicas(client, target));
  for (const ReplicaAddress& replica : replicas) {
    CO_ASSIGN_OR_RETURN(const ReplicaAnswer answer, co_await dialer.Dial(replica, target));
    best = std::max(best, answer);
    if (best == ReplicaAnswer::kTrusted) break;
  }
  co_return best;
}

}  // namespace steward::controllers
