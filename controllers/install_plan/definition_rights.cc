#include "controllers/install_plan/definition_rights.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/metadata_access.h"
#include "olm/copy.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 100;

constexpr char kRule[] =
    ": under the service account of an OperatorGroup a plan changes only definitions that "
    "operators "
    "of its own namespace own, and none of another one";

}  // namespace

std::set<std::string> DefinitionsOwnedBy(const json::object& csv) {
  std::set<std::string> names;
  const json::object* spec = ObjectAt(csv, "spec");
  const json::object* definitions =
      spec == nullptr ? nullptr : ObjectAt(*spec, "customresourcedefinitions");
  const json::array* owned = definitions == nullptr ? nullptr : ArrayAt(*definitions, "owned");
  if (owned == nullptr) return names;
  for (const json::value& each : *owned) {
    if (each.is_object()) names.insert(std::string(StringAt(each.get_object(), "name")));
  }
  return names;
}

Task<DefinitionOwners> OwnersOf(kube::Client& client, std::string definition) {
  kube::ListOptions list;
  list.label_selector = StrCat("!", olm::kCopiedFromLabel);
  list.limit = kPage;
  DefinitionOwners owners;
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kCsvs, list, [&](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const json::value csv, ParseJson(raw.json));
        if (!csv.is_object()) return absl::DataLossError("a ClusterServiceVersion is no object");
        if (!DefinitionsOwnedBy(csv.get_object()).contains(definition)) return absl::OkStatus();
        const std::string ns = kube::NameOf(csv).ns;
        owners.all.insert(ns);
        if (kube::MetadataText(csv, "deletionTimestamp").empty()) owners.lasting.insert(ns);
        return absl::OkStatus();
      }));
  co_return owners;
}

absl::Status MayChangeDefinition(const DefinitionOwners& owners, const std::string& ns,
                                 const std::string& definition) {
  const bool of_olm = definition.ends_with(".operators.coreos.com");
  const bool others = of_olm || owners.all.size() > owners.all.count(ns);
  if (!others && owners.lasting.contains(ns)) return absl::OkStatus();
  return absl::FailedPreconditionError(StrCat("the definition ", definition, " is there, and ",
                                              of_olm   ? "is OLM's own"
                                              : others ? "an operator of another namespace owns it"
                                                       : "no operator of this namespace owns it",
                                              kRule));
}

absl::Status MayConvert(const DefinitionOwners& owners, const std::string& ns,
                        const std::string& service_ns, const std::string& definition) {
  if (service_ns == ns || owners.lasting.contains(service_ns)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      StrCat("the definition ", definition,
             " is there, and its objects are converted by a Service of a namespace in which no "
             "operator owns it (spec.conversion): whoever may change definitions has to say "
             "whether that is right"));
}

}  // namespace steward::controllers
