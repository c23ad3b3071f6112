#include "controllers/runtime/peer_presence.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr int64_t kPerPage = 100;

// The Deployment's name, or nullopt when it has no available replica.
absl::StatusOr<std::optional<kube::NamespacedName>> AvailableOne(const kube::RawObject& raw) {
  ASSIGN_OR_RETURN(const json::value value, ParseJson(raw.json));
  if (kube::MetadataOf(value) == nullptr) {
    return absl::DataLossError("a Deployment without metadata");
  }
  kube::NamespacedName name = kube::NameOf(value);
  const json::object* status = ObjectAt(value.get_object(), "status");
  const json::value* replicas =
      status == nullptr ? nullptr : status->if_contains("availableReplicas");
  if (replicas == nullptr || replicas->is_null()) return std::nullopt;
  boost::system::error_code error;
  const auto number = replicas->to_number<int64_t>(error);
  if (error) {
    return absl::DataLossError(
        StrCat("Deployment ", name.ns, "/", name.name, ": status.availableReplicas is no number"));
  }
  if (number <= 0) return std::nullopt;
  return name;
}

// The first of the Deployments that both selectors match and that has an available replica.
Task<std::optional<kube::NamespacedName>> FindAvailable(kube::Client& client,
                                                        std::string label_selector,
                                                        std::string field_selector) {
  kube::ListOptions options;
  options.label_selector = std::move(label_selector);
  options.field_selector = std::move(field_selector);
  options.limit = kPerPage;
  do {
    CO_ASSIGN_OR_RETURN(const kube::ListPage page,
                        co_await client.List(kube::kDeployments, options));
    for (const kube::RawObject& raw : page.items) {
      CO_ASSIGN_OR_RETURN(std::optional<kube::NamespacedName> found, AvailableOne(raw));
      if (found.has_value()) co_return found;
    }
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty());
  co_return std::nullopt;
}

}  // namespace

std::string_view NameOf(PeerOperator which) {
  switch (which) {
    case PeerOperator::kOlmOperator:
      return "olm-operator";
    case PeerOperator::kCatalogOperator:
      return "catalog-operator";
    case PeerOperator::kClusterVersionOperator:
      return "cluster-version-operator";
  }
  return "";
}

Task<PeerPresence> ReadPeerPresence(kube::Client& client, std::set<PeerOperator> wanted) {
  PeerPresence presence;
  for (const PeerOperator which : wanted) {
    CO_ASSIGN_OR_RETURN(
        std::optional<kube::NamespacedName> found,
        co_await FindAvailable(client, "", StrCat("metadata.name=", NameOf(which))));
    // Skip this for the platform's operator, so that callers that look only for it need a right for
    // only one name.
    if (!found.has_value() && which != PeerOperator::kClusterVersionOperator) {
      CO_ASSIGN_OR_RETURN(found, co_await FindAvailable(client, StrCat("app=", NameOf(which)), ""));
    }
    if (found.has_value()) presence.emplace(which, *std::move(found));
  }
  co_return presence;
}

}  // namespace steward::controllers
