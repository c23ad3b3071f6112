#include "plugin/cleanup/original.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "olm/csv_facts.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

absl::Status Elsewhere(const kube::NamespacedName& name, std::string_view is,
                       const std::string& original, const std::string& command) {
  if (original.empty() || original == name.ns) {
    return Refused(StrCat(name.ns, "/", name.name, " ", is,
                          ", which does not say in which namespace its original is; look for it "
                          "with: kubectl get csv -A --field-selector metadata.name=",
                          name.name));
  }
  return Refused(StrCat(name.ns, "/", name.name, " ", is, "; the original is in namespace ",
                        original, ": kubectl steward ", command, " ", name.name, " -n ", original));
}

// OLM sets the label itself, so it proves a copy. The annotation alone counts only for some
// readers.
std::string OriginalOf(const olm::CsvFacts& copy) {
  const std::string label = copy.copied_from.value_or("");
  return label.empty() ? copy.operator_namespace.value_or("") : label;
}

}  // namespace

Task<Csv> ReadOriginal(kube::Client& client, kube::NamespacedName name, std::string command) {
  absl::StatusOr<Csv> csv = co_await ReadCsv(client, name);
  if (csv.ok() && csv->facts.MayBeCopy()) {
    co_return Elsewhere(name, "is a copy", OriginalOf(csv->facts), command);
  }
  if (csv.ok() || !kube::IsNotFound(csv.status(), name.name)) co_return csv;
  const absl::StatusOr<json::value> seen = co_await ReadObject(client, kInstalledOperators, name);
  if (!seen.ok()) co_return csv;
  const json::object* scope = ObjectAt(seen->as_object(), "scope");
  const std::string original(scope == nullptr ? "" : StringAt(*scope, "installNamespace"));
  // If the origin is this namespace, the view has not seen the deletion yet.
  if (original.empty() || original == name.ns) co_return csv;
  co_return Elsewhere(name, "is no ClusterServiceVersion, but an operator that works there",
                      original, command);
}

}  // namespace steward::plugin
