#include "kube/testing/list_filter.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace json = boost::json;
namespace {

constexpr std::string_view kPrefix = "metadata.";
constexpr std::string_view kReason = "reason";  // a field of Events

LabelMap LabelsOf(const json::object& metadata) {
  LabelMap labels;
  const json::object* all = ObjectAt(metadata, "labels");
  if (all == nullptr) return labels;
  for (const auto& [key, value] : *all) {
    if (value.is_string()) labels.emplace(key, value.get_string().c_str());
  }
  return labels;
}

}  // namespace

absl::StatusOr<ListFilter> ListFilter::Of(const std::string& label_selector,
                                          const std::string& field_selector) {
  ASSIGN_OR_RETURN(LabelSelector labels, LabelSelector::Parse(label_selector));
  ASSIGN_OR_RETURN(FieldSelector fields, FieldSelector::Parse(field_selector));
  for (const FieldSelector::Term& term : fields.terms()) {
    if (term.path == "metadata.name" || term.path == "metadata.namespace") continue;
    if (term.path == kReason) continue;
    return ToStatus(BadRequest(absl::StrCat("field label not supported: ", term.path)));
  }
  return ListFilter(std::move(labels), std::move(fields));
}

bool ListFilter::Takes(const RawObject& object) const {
  if (labels_.empty() && fields_.empty()) return true;
  const json::value value = json::parse(json::string_view(object.json.data(), object.json.size()));
  const json::object& metadata = value.at("metadata").as_object();
  const auto field = [&value](std::string_view path) {
    if (path == kReason) return std::string(StringAt(value.get_object(), kReason));
    return MetadataText(value, path.substr(kPrefix.size()));
  };
  return fields_.Matches(field) && labels_.Matches(LabelsOf(metadata));
}

}  // namespace steward::kube
