#include "payload/rights.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/access_review.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "payload/brought_kinds.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

constexpr size_t kWidth = 8;
constexpr size_t kMaxNamed = 64;
const kube::GroupVersionResource kReviews = {"authorization.k8s.io", "v1",
                                             "selfsubjectaccessreviews"};

// A right to one object, or, with neither namespace nor name, to all of the resource.
struct Right {
  std::string verb;
  kube::GroupVersionResource gvr;
  std::string ns;
  std::string name;

  std::string ToString() const {
    return StrCat(verb, " ", gvr.GroupResource(), name.empty() ? "" : " \"", name,
                  name.empty() ? "" : "\"", ns.empty() ? "" : " in namespace \"", ns,
                  ns.empty() ? "" : "\"");
  }
  auto operator<=>(const Right&) const = default;
};

Task<bool> IsAllowed(kube::Client& client, Right right) {
  kube::ResourceAccess access;
  access.verb = right.verb;
  access.group = right.gvr.group;
  access.version = right.gvr.version;
  access.resource = right.gvr.resource;
  access.ns = right.ns;
  access.name = right.name;
  const json::value review = {{"apiVersion", "authorization.k8s.io/v1"},
                              {"kind", "SelfSubjectAccessReview"},
                              {"spec", {{"resourceAttributes", kube::ResourceAttributes(access)}}}};
  const kube::WriteOptions options;
  CO_ASSIGN_OR_RETURN(const json::value answer,
                      co_await client.Create(kReviews, "", review, options));
  const json::object* status =
      answer.is_object() ? ObjectAt(answer.get_object(), "status") : nullptr;
  if (status == nullptr) co_return absl::DataLossError("the review of a right has no answer");
  co_return BoolAt(*status, "allowed");
}

// Those of `rights` that are not allowed. Some are asked about at a time.
Task<std::set<Right>> Denied(kube::Client& client, std::set<Right> rights) {
  const std::vector<Right> all(rights.begin(), rights.end());
  std::set<Right> denied;
  absl::Status failure;
  co_await ForEachInFlight(all.size(), kWidth, [&](size_t i) -> VoidTask {
    if (!failure.ok()) co_return;
    const absl::StatusOr<bool> allowed = co_await IsAllowed(client, all[i]);
    if (!allowed.ok()) {
      failure = allowed.status();
    } else if (!*allowed) {
      denied.insert(all[i]);
    }
  });
  CO_RETURN_IF_ERROR(failure);
  co_return denied;
}

std::vector<std::string> VerbsFor(const olm::PayloadManifest& manifest) {
  if (manifest.deletes) return {"get", "delete"};
  if (manifest.create_only) return {"get", "create"};
  return {"get", "create", "patch"};
}

}  // namespace

Task<std::vector<std::string>> FindMissingRights(kube::Client& client, kube::RestMapper& mapper,
                                                 const std::vector<olm::PayloadManifest>& manifests,
                                                 bool deletes) {
  const BroughtKinds brought = BroughtBy(manifests);
  std::set<Right> needed;
  for (const olm::PayloadManifest& each : manifests) {
    if (each.deletes && !deletes) continue;
    CO_ASSIGN_OR_RETURN(std::optional<kube::RestMapping> mapping, co_await mapper.Find(each.gvk));
    const auto own = brought.find({each.gvk.group, each.gvk.kind});
    if (!mapping && own != brought.end()) mapping = own->second;
    if (!mapping) continue;
    for (std::string& verb : VerbsFor(each)) {
      // Nobody is allowed to create by name.
      const bool creates = verb == "create";
      needed.insert({std::move(verb), mapping->gvr, mapping->namespaced ? each.identity.ns : "",
                     creates ? "" : each.identity.name});
    }
  }
  // Whoever has a right to all of a resource is not asked about each of its objects.
  std::set<Right> wide;
  for (const Right& each : needed) wide.insert({each.verb, each.gvr, "", ""});
  absl::StatusOr<std::set<Right>> lacking = co_await Denied(client, std::move(wide));
  std::vector<std::string> missing;
  if (kube::SaysNotFound(lacking.status())) co_return missing;
  CO_RETURN_IF_ERROR(lacking.status());
  std::set<Right> narrow;
  for (const Right& each : needed) {
    if (lacking->contains({each.verb, each.gvr, "", ""})) narrow.insert(each);
  }
  CO_ASSIGN_OR_RETURN(const std::set<Right> denied, co_await Denied(client, std::move(narrow)));
  for (const Right& each : denied) {
    if (missing.size() == kMaxNamed) {
      missing.push_back(StrCat("and ", denied.size() - kMaxNamed, " more"));
      break;
    }
    missing.push_back(each.ToString());
  }
  co_return missing;
}

}  // namespace steward::payload
