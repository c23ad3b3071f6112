#include "controllers/install_plan/definition_check.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "olm/plan/definition_change.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 500;

// Returns the first field of `before` that `after` lacks; "" = none. A null counts as absent.
std::string LostField(const json::value& before, const json::value* after,
                      const std::string& path) {
  if (before.is_null()) return "";
  if (after == nullptr) return path;
  if (before.is_object() && after->is_object()) {
    for (const auto& member : before.get_object()) {
      const json::value* kept = after->get_object().if_contains(member.key());
      const std::string in = StrCat(path, path.empty() ? "" : ".", View(member.key()));
      std::string lost = LostField(member.value(), kept, in);
      if (!lost.empty()) return lost;
    }
  }
  if (before.is_array() && after->is_array()) {
    const json::array& all = before.get_array();
    for (size_t i = 0; i < all.size() && i < after->get_array().size(); ++i) {
      std::string lost = LostField(all[i], &after->get_array()[i], StrCat(path, "[", i, "]"));
      if (!lost.empty()) return lost;
    }
  }
  return "";
}

std::string NameText(const kube::NamespacedName& name) {
  return StrCat(name.ns, name.ns.empty() ? "" : "/", name.name);
}

// Fails if one of the new versions would refuse the object. `lost` gets a sentence about the first
// object that would lose a field.
absl::Status CheckObject(const olm::Definition& wanted, const kube::RawObject& raw,
                         std::string& lost) {
  ASSIGN_OR_RETURN(const json::value parsed, ParseJson(raw.json));
  if (!parsed.is_object()) return absl::DataLossError("an item of a list is no object");
  for (const olm::DefinitionVersion& version : wanted.served) {
    json::object object = parsed.get_object();
    object["apiVersion"] = kube::GroupVersionKind{wanted.group, version.name, ""}.ApiVersion();
    version.schema.Complete(object);
    const std::vector<kube::StatusCause> causes = version.schema.Validate(object, nullptr);
    const kube::NamespacedName name = kube::NameOf(parsed);
    if (causes.empty() && lost.empty() && version.name == wanted.storage) {
      const json::value kept = std::move(object);
      const std::string field = LostField(parsed, &kept, "");
      if (!field.empty()) {
        lost = StrCat("the existing ", wanted.kind, " ", NameText(name), " would lose ", field,
                      ", which the new schema of version ", version.name, " does not know");
      }
    }
    if (causes.empty()) continue;
    // The API's message is left out, because it quotes a value that readers of the plan may not be
    // allowed to read.
    return absl::FailedPreconditionError(StrCat(
        "the new schema of version ", version.name, " does not admit the existing ", wanted.kind,
        " ", NameText(name), ": ", causes.front().field, ": ", causes.front().reason));
  }
  return absl::OkStatus();
}

}  // namespace

Task<std::vector<std::string>> CheckDefinition(kube::Client& client, json::object live,
                                               json::object wanted) {
  CO_ASSIGN_OR_RETURN(const olm::Definition before, olm::ReadDefinition(live));
  CO_ASSIGN_OR_RETURN(const olm::Definition after, olm::ReadDefinition(wanted));
  const std::string what = StrCat("CustomResourceDefinition ", after.name);
  const olm::DefinitionChange change = olm::CompareDefinitions(before, after);
  if (!change.refused.empty()) {
    co_return absl::FailedPreconditionError(StrCat(what, ": ", change.refused));
  }
  std::vector<std::string> warnings;
  for (const std::string& version : change.versions_that_go) {
    warnings.push_back(StrCat(what, ": version ", version, " is not served any more"));
  }
  if (after.converts || before.converts) {
    warnings.push_back(StrCat(what,
                              ": a webhook converts its objects, so they were not checked against "
                              "the new schema"));
    co_return warnings;
  }
  // Without a webhook, conversion changes no fields, so listing one version covers all objects.
  if (before.served.empty()) co_return warnings;
  const bool storage_served =
      std::any_of(before.served.begin(), before.served.end(),
                  [&](const auto& version) { return version.name == before.storage; });
  const kube::GroupVersionResource gvr = {
      before.group, storage_served ? before.storage : before.served.front().name, before.plural};
  kube::ListOptions list;
  list.limit = kPage;
  std::string lost;
  const absl::Status checked = co_await kube::VisitAll(
      client, gvr, list,
      [&after, &lost](const kube::RawObject& raw) { return CheckObject(after, raw, lost); });
  if (!checked.ok()) co_return WithContext(what, checked);
  if (!lost.empty()) warnings.push_back(StrCat(what, ": ", lost));
  co_return warnings;
}

}  // namespace steward::controllers
