#include "plugin/doctor/deployment.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"
#include "plugin/cluster/reads.h"
#include "plugin/removal/installation.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr int64_t kPerPage = 100;

int64_t NumberAt(const json::object* parent, std::string_view key, int64_t absent) {
  const json::value* value = parent == nullptr ? nullptr : parent->if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : absent;
}

const json::object* PodOf(const json::object* spec) {
  const json::object* outer = spec == nullptr ? nullptr : ObjectAt(*spec, "template");
  return outer == nullptr ? nullptr : ObjectAt(*outer, "spec");
}

// The objects of a list.
std::vector<const json::object*> ObjectsAt(const json::object& parent, std::string_view key) {
  std::vector<const json::object*> objects;
  const json::array* list = ArrayAt(parent, key);
  if (list == nullptr) return objects;
  for (const json::value& each : *list) {
    if (each.is_object()) objects.push_back(&each.get_object());
  }
  return objects;
}

void TakePod(const json::object& pod, Deployment& deployment) {
  for (const json::object* volume : ObjectsAt(pod, "volumes")) {
    const json::object* secret = ObjectAt(*volume, "secret");
    if (secret == nullptr) continue;
    deployment.secrets.emplace(StringAt(*secret, "secretName"), !BoolAt(*secret, "optional"));
  }
  const std::vector<const json::object*> containers = ObjectsAt(pod, "containers");
  if (containers.empty()) return;
  deployment.image = StringAt(*containers.front(), "image");
  const json::array* args = ArrayAt(*containers.front(), "args");
  if (args == nullptr) return;
  for (const json::value& each : *args) {
    if (each.is_string()) deployment.args.emplace_back(each.get_string());
  }
}

absl::StatusOr<Deployment> Decode(const kube::RawObject& raw) {
  ASSIGN_OR_RETURN(const json::value value, ParseObject(raw.json));
  Deployment deployment;
  deployment.name = kube::NameOf(value);
  const json::object* spec = ObjectAt(value.get_object(), "spec");
  deployment.replicas = NumberAt(spec, "replicas", 1);
  deployment.available = NumberAt(ObjectAt(value.get_object(), "status"), "availableReplicas", 0);
  if (const json::object* pod = PodOf(spec)) TakePod(*pod, deployment);
  return deployment;
}

// Visits the Deployments that match the options.
StatusTask Visit(kube::Client& client, kube::ListOptions options,
                 std::function<void(Deployment)> visit) {
  options.limit = kPerPage;
  const auto decode = [&visit](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(Deployment deployment, Decode(raw));
    visit(std::move(deployment));
    return absl::OkStatus();
  };
  co_return co_await kube::VisitAll(client, kube::kDeployments, options, decode);
}

}  // namespace

std::optional<std::string> Deployment::Flag(std::string_view flag) const {
  const std::string begin = StrCat(flag, "=");
  std::optional<std::string> value;
  for (const std::string& arg : args) {
    if (arg.starts_with(begin)) value = arg.substr(begin.size());
  }
  return value;
}

Task<Deployments> ReadDeployments(kube::Client& client) {
  Deployments found;
  kube::ListOptions options;
  options.ns = kStewardNamespace;
  const auto take = [&found](Deployment each) {
    if (each.name.name.starts_with("steward-")) found.emplace(each.name.name, std::move(each));
  };
  CO_RETURN_IF_ERROR(co_await Visit(client, options, take));
  co_return found;
}

Task<std::optional<kube::NamespacedName>> FindRunning(kube::Client& client, std::string name) {
  kube::ListOptions by_name;
  by_name.field_selector = StrCat("metadata.name=", name);
  kube::ListOptions by_label;
  by_label.label_selector = StrCat("app=", name);
  std::optional<kube::NamespacedName> found;
  const auto take = [&found](const Deployment& each) {
    if (each.available > 0) found = each.name;
  };
  for (const kube::ListOptions& options : {by_name, by_label}) {
    const absl::Status visited = co_await Visit(client, options, take);
    // A server that knows no Deployments runs none.
    if (kube::IsNotServed(visited)) co_return found;
    CO_RETURN_IF_ERROR(visited);
    if (found) break;
  }
  co_return found;
}

}  // namespace steward::plugin
