#include "plugin/cluster/object_names.h"

#include <boost/json/array.hpp>

#include "absl/strings/ascii.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {

std::string OlmObjectName(std::string_view kind, std::string_view name) {
  return StrCat(absl::AsciiStrToLower(ToAbsl(kind)), ".", kCsvs.group, "/", name);
}

std::vector<std::string> CsvNamesOf(const boost::json::object& document) {
  std::vector<std::string> names;
  const boost::json::array* items = ArrayAt(document, "items");
  if (items == nullptr) return names;
  for (const boost::json::value& item : *items) {
    const boost::json::object* fields = item.if_object();
    if (fields == nullptr) continue;
    names.push_back(OlmObjectName("ClusterServiceVersion", StringAt(*fields, "name")));
  }
  return names;
}

}  // namespace steward::plugin
