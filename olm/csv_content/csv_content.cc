#include "olm/csv_content/csv_content.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"
#include "kube/schema/schema.h"
#include "olm/payload/release_version.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr char kText[] =
#include "olm/csv_content/csv_schema.json.inc"
    ;

const kube::Schema& Parsed() {
  static const auto* const kSchema = new kube::Schema(*kube::Schema::Parse(kText));
  return *kSchema;
}

// The types of JSON in the words of messages.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {
    {{"array", "a list"}, {"object", "a mapping"}, {"string", "a text"}, {"boolean", "a boolean"}}};

std::string Problem(const kube::StatusCause& cause) {
  if (cause.reason == "FieldValueRequired") return StrCat(cause.field, ": is missing");
  for (const auto& [type, words] : kTypes) {
    if (cause.message.find(StrCat(" must be of type ", type, ":")) == std::string::npos) continue;
    return StrCat(cause.field, ": must be ", words);
  }
  return StrCat(cause.field, ": ", cause.message);
}

}  // namespace

std::string_view CsvSchema() { return kText; }

std::vector<std::string> CsvContentProblems(const json::object& csv) {
  // A null counts as an absent field.
  json::object completed = csv;
  Parsed().Complete(completed);
  std::vector<std::string> problems;
  for (const kube::StatusCause& cause : Parsed().Validate(completed, nullptr)) {
    problems.push_back(Problem(cause));
  }
  const json::object* spec = ObjectAt(completed, "spec");
  const json::value* version = spec == nullptr ? nullptr : spec->if_contains("version");
  if (version != nullptr && version->is_string() &&
      !ReleaseVersion::ParseLeniently(StringAt(*spec, "version")).ok()) {
    problems.push_back(
        StrCat("spec.version: ", kube::Quote(StringAt(*spec, "version")), " is no version"));
  }
  const json::object* install = spec == nullptr ? nullptr : ObjectAt(*spec, "install");
  const json::object* strategy = install == nullptr ? nullptr : ObjectAt(*install, "spec");
  for (const std::string_view list : {"permissions", "clusterPermissions"}) {
    const json::array* all = strategy == nullptr ? nullptr : ArrayAt(*strategy, list);
    for (size_t i = 0; all != nullptr && i < all->size(); ++i) {
      const json::object* permission = (*all)[i].if_object();
      const json::value* account =
          permission == nullptr ? nullptr : permission->if_contains("serviceAccountName");
      if (account == nullptr || !account->is_string() || !account->get_string().empty()) continue;
      problems.push_back(
          StrCat("spec.install.spec.", list, "[", i, "].serviceAccountName: must not be empty"));
    }
  }
  return problems;
}

}  // namespace steward::olm
