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
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 100;
constexpr char kCopiedFrom[] = "olm.copiedFrom";

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

StatusTask MayChangeDefinition(kube::Client& client, std::string ns, std::string definition) {
  kube::ListOptions list;
  list.label_selector = StrCat("!", kCopiedFrom);
  list.limit = kPage;
  bool ours = false;
  bool others = false;
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, olm::kCsvs, list, [&](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const json::value csv, ParseJson(raw.json));
        if (!csv.is_object()) return absl::DataLossError("a ClusterServiceVersion is no object");
        if (!DefinitionsOwnedBy(csv.get_object()).contains(definition)) return absl::OkStatus();
        const bool goes = !kube::MetadataText(csv, "deletionTimestamp").empty();
        if (kube::NameOf(csv).ns != ns) {
          others = true;
        } else if (!goes) {
          ours = true;
        }
        return absl::OkStatus();
      }));
  if (others) {
    co_return absl::FailedPreconditionError(
        StrCat("the definition ", definition,
               " is there, and an operator of another namespace owns it", kRule));
  }
  if (!ours) {
    co_return absl::FailedPreconditionError(
        StrCat("the definition ", definition,
               " is there, and no operator of this namespace owns it", kRule));
  }
  co_return absl::OkStatus();
}

}  // namespace steward::controllers
