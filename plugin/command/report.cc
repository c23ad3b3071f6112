#include "plugin/command/report.h"

#include <boost/json/value.hpp>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::plugin {

boost::json::object NewReport(std::string_view kind) {
  return {{"apiVersion", "steward.operatorframework.io/v1"}, {"kind", std::string(kind)}};
}

void Conclude(const absl::Status& status, boost::json::object& document) {
  const Exit exit = ExitOf(status);
  document["result"] = std::string(ToString(exit));
  document["exitCode"] = static_cast<int>(exit);
  document["message"] = std::string(ToStd(status.message()));
}

std::string ReportText(const boost::json::object& document, bool yaml) {
  if (yaml) {
    std::string text;
    WriteYaml(document, text);
    return text;
  }
  return StrCat(IndentJson(Serialize(document)), "\n");
}

}  // namespace steward::plugin
