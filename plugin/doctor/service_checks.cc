#include "plugin/doctor/service_checks.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/clock/time_limit.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/provider_version.h"
#include "kube/meta/condition.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/time.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/removal/installation.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr char kApiServer[] = "steward-apiserver";
constexpr char kGuard[] = "steward-apiservice-guard";
constexpr absl::Duration kPatience = absl::Seconds(15);

std::string SeeWhy(const std::string& deployment) {
  return StrCat("kubectl describe deployment/", deployment, " -n ", kStewardNamespace,
                " and kubectl logs deployment/", deployment, " -n ", kStewardNamespace, " say why");
}

std::string Restart(const std::string& deployment) {
  return StrCat("kubectl rollout restart deployment/", deployment, " -n ", kStewardNamespace);
}

// True for the server of `steward up`, which serves the views itself, so that there is no
// APIService to check.
Task<bool> ServesViewsItself(kube::Client& client) {
  const kube::GroupVersion views = kInstalledOperators.group_version();
  const absl::StatusOr<std::vector<kube::ApiResource>> found = co_await client.Discover(views);
  if (kube::IsNotServed(found.status())) co_return false;
  CO_RETURN_IF_ERROR(found.status());
  co_return true;
}

// The remedy for an APIService that is not as it should be.
std::string MadeAnew(const Environment& environment) {
  if (environment.deployments.ok()) {
    const auto guard = environment.deployments->find(kGuard);
    if (guard != environment.deployments->end() && guard->second.available > 0 &&
        guard->second.Flag("--apiservice-guard") != "false") {
      return StrCat("kubectl delete apiservice ", kRegistration,
                    ": the guard makes it again, with the authority that it trusts");
    }
  }
  return StrCat("have the guard run, which makes it as it should be (", kApplyAgain, ")");
}

void JudgeApiService(const json::object& object, Environment& environment,
                     CheckFindings& findings) {
  const json::object* spec = ObjectAt(object, "spec");
  const json::object* service = spec == nullptr ? nullptr : ObjectAt(*spec, "service");
  if (service == nullptr || StringAt(*service, "namespace") != kStewardNamespace ||
      StringAt(*service, "name") != kApiServer) {
    findings.Fail(StrCat("APIService ", kRegistration, " does not lead to the Service ",
                         kStewardNamespace, "/", kApiServer),
                  MadeAnew(environment));
    return;
  }
  if (BoolAt(*spec, "insecureSkipTLSVerify")) {
    findings.Fail(
        "whoever answers in the place of the API server is believed: the APIService says "
        "insecureSkipTLSVerify",
        MadeAnew(environment));
  }
  const json::object* available = kube::ConditionOf(object, "Available");
  if (available != nullptr && StringAt(*available, "status") == "True") {
    if (findings.clean()) findings.Ok(StrCat(kRegistration, " is available"));
    return;
  }
  const std::string why = available == nullptr ? "the kube-apiserver has not judged it"
                                               : StrCat(StringAt(*available, "reason"), ": ",
                                                        StringAt(*available, "message"));
  findings.Fail(StrCat("the kube-apiserver does not reach the API server (", why, ")"),
                environment.Has(kApiServer) ? SeeWhy(kApiServer) : kApplyAgain);
}

bool IsReady(const json::object& endpoint) {
  const json::object* conditions = ObjectAt(endpoint, "conditions");
  const json::value* ready = conditions == nullptr ? nullptr : conditions->if_contains("ready");
  // Kubernetes: unknown counts as ready.
  return ready == nullptr || !ready->is_bool() || ready->get_bool();
}

Task<size_t> CountEndpoints(kube::Client& client) {
  std::set<std::string> ready;
  const auto take = [&ready](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const json::value slice, ParseObject(raw.json));
    const json::array* endpoints = ArrayAt(slice.get_object(), "endpoints");
    for (const json::value& each : endpoints == nullptr ? json::array() : *endpoints) {
      if (!each.is_object() || !IsReady(each.get_object())) continue;
      const json::array* addresses = ArrayAt(each.get_object(), "addresses");
      if (addresses != nullptr && !addresses->empty() && addresses->front().is_string()) {
        ready.emplace(addresses->front().get_string());
      }
    }
    return absl::OkStatus();
  };
  CO_RETURN_IF_ERROR(co_await VisitAll(client, kube::kEndpointSlices, kStewardNamespace,
                                       /*metadata_only=*/false, take,
                                       StrCat("kubernetes.io/service-name=", kApiServer)));
  co_return ready.size();
}

// Returns what is wrong with the leader of a Deployment; "" = nothing.
std::string JudgeLease(const json::object& lease, absl::Time now) {
  const json::object* spec = ObjectAt(lease, "spec");
  const std::string holder(spec == nullptr ? "" : StringAt(*spec, "holderIdentity"));
  if (holder.empty()) return "nobody leads";
  const absl::StatusOr<absl::Time> renewed = kube::ParseRfc3339(StringAt(*spec, "renewTime"));
  const json::value* seconds = spec->if_contains("leaseDurationSeconds");
  const int64_t length = seconds != nullptr && seconds->is_int64() ? seconds->get_int64() : 0;
  if (!renewed.ok()) return StrCat(holder, " does not say when it was there last");
  // Tolerates small differences between clocks.
  if (now - *renewed <= absl::Seconds(length) + absl::Seconds(5)) return "";
  return StrCat("the leader, ", holder, ", was there last ", AgeText(now - *renewed), " ago");
}

}  // namespace

VoidTask CheckDeployments(Environment& environment) {
  CheckFindings findings("Deployments", environment.findings);
  if (!environment.deployments.ok()) {
    findings.Unseen(StrCat("the Deployments in ", kStewardNamespace),
                    environment.deployments.status());
    co_return;
  }
  std::vector<std::string> names;
  for (const auto& [name, each] : *environment.deployments) {
    names.push_back(name.substr(std::string_view("steward-").size()));
    if (each.replicas == 0) {
      findings.Fail(
          StrCat(name, " was scaled to nothing"),
          StrCat("kubectl scale deployment/", name, " -n ", kStewardNamespace, " --replicas=2"));
    } else if (each.available == 0) {
      findings.Fail(StrCat(name, " has no available replica of ", each.replicas), SeeWhy(name));
    } else if (each.available < each.replicas) {
      findings.Warn(StrCat(name, " has ", each.available, " of ", each.replicas, " replicas"),
                    SeeWhy(name));
    }
  }
  if (names.empty()) {
    const absl::StatusOr<bool> itself = co_await ServesViewsItself(environment.client);
    if (itself.ok() && *itself && !environment.dump) {
      findings.Ok("none in this cluster: Steward serves it from outside");
    } else {
      findings.Fail(StrCat("there is none in ", kStewardNamespace),
                    "install Steward, as docs/install.md says: kubectl apply --server-side -k "
                    "OVERLAY");
    }
    co_return;
  }
  for (const char* name : {kApiServer, kGuard, "steward-controllers"}) {
    if (!environment.Has(name)) {
      findings.Fail(StrCat("there is no Deployment ", name), kApplyAgain);
    }
  }
  if (findings.clean()) findings.Ok(StrCat("all replicas of ", absl::StrJoin(names, ", ")));
}

VoidTask CheckVersions(Environment& environment) {
  CheckFindings findings("Versions", environment.findings);
  if (!environment.deployments.ok()) {
    findings.Unseen("the images", environment.deployments.status());
    co_return;
  }
  std::map<std::string, std::vector<std::string>> by_image;
  for (const auto& [name, each] : *environment.deployments) by_image[each.image].push_back(name);
  if (by_image.size() > 1) {
    std::vector<std::string> parts;
    for (const auto& [image, names] : by_image) {
      parts.push_back(StrCat(absl::StrJoin(names, ", "), ": ", image));
    }
    findings.Fail(
        StrCat("Steward's processes run different images (", absl::StrJoin(parts, "; "), ")"),
        kApplyAgain);
  }
  const kube::GroupVersion views = kInstalledOperators.group_version();
  const absl::StatusOr<std::string> server =
      co_await kube::ReadProviderVersion(environment.client, views);
  // Other checks report an API server that does not answer.
  if (server.ok() && *server != environment.version) {
    findings.Warn(StrCat("this program is of version ", environment.version,
                         ", and the API server of ", *server),
                  "use a kubectl-steward of the server's version: this one compares with what it "
                  "was built with");
  }
  if (findings.clean() && !by_image.empty()) {
    findings.Ok(StrCat("all run ", by_image.begin()->first));
  }
}

VoidTask CheckApiService(Environment& environment) {
  CheckFindings findings("APIService", environment.findings);
  const kube::NamespacedName name = {"", kRegistration};
  const absl::StatusOr<json::value> object =
      co_await ReadObject(environment.client, kube::kApiServices, name);
  if (object.ok()) {
    JudgeApiService(object->get_object(), environment, findings);
    co_return;
  }
  if (kube::IsNotServed(object.status()) && !environment.dump) {
    const absl::StatusOr<bool> itself = co_await ServesViewsItself(environment.client);
    if (itself.ok() && *itself) {
      findings.Ok("none is needed: this server serves the API itself");
      co_return;
    }
  }
  if (!kube::IsNotFound(object.status(), kRegistration) &&
      !(environment.dump && kube::IsNotServed(object.status()))) {
    findings.Unseen(StrCat("APIService ", kRegistration), object.status());
    co_return;
  }
  findings.Fail(StrCat("there is no APIService ", kRegistration),
                environment.Has(kGuard)
                    ? StrCat("the guard makes it once an API server answers: ", SeeWhy(kGuard))
                    : std::string(kApplyAgain));
}

VoidTask CheckEndpoints(Environment& environment) {
  CheckFindings findings("Endpoints", environment.findings);
  if (environment.deployments.ok() && !environment.Has(kApiServer)) co_return;
  const absl::StatusOr<size_t> count = co_await CountEndpoints(environment.client);
  if (!count.ok()) {
    findings.Unseen(StrCat("the EndpointSlices of the Service ", kApiServer), count.status());
  } else if (*count == 0) {
    findings.Fail(StrCat("the Service ", kApiServer, " leads to no replica that is ready"),
                  SeeWhy(kApiServer));
  } else {
    findings.Ok(StrCat("the Service ", kApiServer, " leads to ",
                       CountText(static_cast<int64_t>(*count), "replica")));
  }
}

VoidTask CheckGuard(Environment& environment) {
  CheckFindings findings("Guard", environment.findings);
  if (!environment.deployments.ok()) {
    findings.Unseen("the guard", environment.deployments.status());
    co_return;
  }
  if (environment.deployments->empty()) co_return;
  const auto guard = environment.deployments->find(kGuard);
  if (guard == environment.deployments->end() || guard->second.available == 0) {
    findings.Fail(
        "the guard does not run: while no API server answers, no namespace of this "
        "cluster can be deleted",
        guard == environment.deployments->end() ? std::string(kApplyAgain) : SeeWhy(kGuard));
    co_return;
  }
  if (guard->second.Flag("--apiservice-guard") == "false") {
    findings.Warn(
        "the guard is off (--apiservice-guard=false): while no API server answers, no "
        "namespace of this cluster can be deleted",
        StrCat("take the argument off the Deployment ", kGuard));
  }
  const kube::NamespacedName name = {kStewardNamespace, kGuard};
  const absl::StatusOr<json::value> record =
      co_await ReadObject(environment.client, kube::kConfigMaps, name);
  if (record.ok()) {
    const json::object* data = ObjectAt(record->get_object(), "data");
    const std::string_view phase = data == nullptr ? "" : StringAt(*data, "phase");
    if (phase != "Restored" && phase != "Restoring") {
      findings.Fail(StrCat("the guard has withdrawn the APIService (",
                           data == nullptr ? "" : StringAt(*data, "withdrawn"),
                           "), since no API server answered"),
                    StrCat("have the API servers answer; it restores the APIService then: ",
                           SeeWhy(kApiServer)));
    }
  } else if (!kube::IsNotFound(record.status(), kGuard)) {
    findings.Unseen(StrCat("the guard's record, ConfigMap ", kStewardNamespace, "/", kGuard),
                    record.status());
  }
  if (findings.clean()) findings.Ok("it runs, and has withdrawn nothing");
}

VoidTask CheckLeaders(Environment& environment) {
  CheckFindings findings("Leaders", environment.findings);
  if (environment.dump) {
    findings.Unseen("who leads", OnlyLive());
    co_return;
  }
  if (!environment.deployments.ok()) {
    findings.Unseen("who leads", environment.deployments.status());
    co_return;
  }
  std::vector<std::string> led;
  for (const auto& [name, each] : *environment.deployments) {
    if (each.Flag("--leader-elect") != "true" || each.replicas == 0) continue;
    const std::string lease = each.Flag("--leader-elect-lease-name").value_or(name);
    const kube::NamespacedName key = {kStewardNamespace, lease};
    const absl::StatusOr<json::value> object =
        co_await ReadObject(environment.client, kube::kLeases, key);
    if (kube::IsNotFound(object.status(), lease)) {
      findings.Fail(StrCat("nobody has ever led ", name, ": there is no Lease ", lease),
                    SeeWhy(name));
      continue;
    }
    if (!object.ok()) {
      findings.Unseen(StrCat("the Lease ", lease), object.status());
      continue;
    }
    const std::string wrong = JudgeLease(object->get_object(), environment.now);
    if (wrong.empty()) {
      led.push_back(name);
    } else {
      findings.Fail(StrCat(name, ": ", wrong), StrCat(Restart(name), "; ", SeeWhy(name)));
    }
  }
  if (findings.clean() && !led.empty()) {
    findings.Ok(StrCat("there is one of ", absl::StrJoin(led, ", ")));
  }
}

VoidTask CheckFreshness(Environment& environment) {
  CheckFindings findings("Freshness", environment.findings);
  if (environment.dump) {
    findings.Unseen("how new the answers are", OnlyLive());
    co_return;
  }
  kube::ListOptions options;
  options.limit = 1;
  Task<kube::ListPage> list = environment.client.List(kInstalledOperators, options);
  const absl::StatusOr<kube::ListPage> page =
      co_await WithTimeout(environment.clock, kPatience, "installedoperators", std::move(list));
  if (page.ok()) {
    findings.Ok("installedoperators are answered from the cluster's newest state");
  } else if (kube::IsForbidden(page.status())) {
    findings.Unseen("installedoperators of all namespaces", page.status());
  } else {
    findings.Fail(StrCat("installedoperators are not answered from the cluster's newest state: ",
                         ToStd(page.status().message())),
                  StrCat("if the APIService is available: ", Restart(kApiServer)));
  }
}

}  // namespace steward::plugin
