#include "olm/cleanup/record.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <vector>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

absl::Status Bad(std::string_view why) { return absl::InvalidArgumentError(ToAbsl(why)); }

absl::StatusOr<TargetSet> DecodeTargets(const json::value& value) {
  if (value.is_string()) {
    if (View(value.get_string()) != "*") return Bad("targets is neither \"*\" nor a list");
    return TargetSet::All();
  }
  const json::array* list = value.if_array();
  if (list == nullptr) return Bad("targets is neither \"*\" nor a list");
  std::vector<std::string> names;
  for (const json::value& name : *list) {
    if (!name.is_string() || !kube::IsDns1123Label(View(name.get_string()))) {
      return Bad("targets names something that is no namespace");
    }
    names.emplace_back(View(name.get_string()));
  }
  return TargetSet::Of(names);
}

}  // namespace

std::string EncodeRecord(const CleanupRecord& record) {
  json::object object;
  if (record.targets.all()) {
    object["targets"] = "*";
  } else {
    object["targets"] = json::array(record.targets.names().begin(), record.targets.names().end());
  }
  object["csvUID"] = record.csv_uid;
  object["operatorGroupUID"] = record.group_uid;
  return Serialize(object);
}

absl::StatusOr<CleanupRecord> DecodeRecord(std::string_view text) {
  JsonLimits limits;
  limits.refuse_duplicate_keys = true;
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text, limits));
  const json::object* object = value.if_object();
  if (object == nullptr || object->size() != 3) return Bad("not an object of three members");
  const json::value* targets = object->if_contains("targets");
  if (targets == nullptr) return Bad("targets is missing");
  CleanupRecord record;
  ASSIGN_OR_RETURN(record.targets, DecodeTargets(*targets));
  record.csv_uid = StringAt(*object, "csvUID");
  record.group_uid = StringAt(*object, "operatorGroupUID");
  if (record.csv_uid.empty()) return Bad("csvUID is missing");
  if (record.group_uid.empty()) return Bad("operatorGroupUID is missing");
  return record;
}

}  // namespace steward::olm
