#include "olm/cleanup/record.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "olm/csv_facts.h"

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

absl::StatusOr<RecordedDefinition> DecodeDefinition(const json::value& value) {
  RecordedDefinition definition;
  if (value.is_string()) {
    definition.uid = View(value.get_string());
  } else {
    const json::object* object = value.if_object();
    const json::array* versions = object == nullptr ? nullptr : ArrayAt(*object, "versions");
    if (versions == nullptr || object->size() != 3)
      return Bad("a definition is neither of the two");
    definition.uid = StringAt(*object, "uid");
    definition.kind = StringAt(*object, "kind");
    for (const json::value& version : *versions) {
      if (!version.is_string() || !kube::IsDns1123Label(View(version.get_string()))) {
        return Bad("an API has a version that is none");
      }
      definition.versions.emplace_back(View(version.get_string()));
    }
    if (definition.kind.empty() || definition.versions.empty()) {
      return Bad("an API lacks its kind or its versions");
    }
  }
  if (definition.uid.empty()) return Bad("a definition lacks its uid");
  return definition;
}

absl::StatusOr<std::map<std::string, RecordedDefinition>> DecodeDefinitions(
    const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return Bad("definitions is no object");
  std::map<std::string, RecordedDefinition> definitions;
  for (const auto& [key, item] : *object) {
    const std::string name(View(key));
    if (!kube::IsDns1123Subdomain(name) || name.find('.') == std::string::npos) {
      return Bad("definitions has a name that is no definition's");
    }
    ASSIGN_OR_RETURN(definitions[name], DecodeDefinition(item));
  }
  return definitions;
}

json::value EncodeDefinition(const RecordedDefinition& definition) {
  if (!definition.is_api()) return json::value(definition.uid);
  return json::object{
      {"uid", definition.uid},
      {"kind", definition.kind},
      {"versions", json::array(definition.versions.begin(), definition.versions.end())}};
}

}  // namespace

CleanupRecord CleanupRecord::Intersect(const CleanupRecord& other) const {
  CleanupRecord both = *this;
  both.targets = targets.Intersect(other.targets);
  std::erase_if(both.definitions, [&other](const auto& entry) {
    const auto found = other.definitions.find(entry.first);
    return found == other.definitions.end() || found->second != entry.second;
  });
  return both;
}

std::string EncodeRecord(const CleanupRecord& record) {
  json::object object;
  if (record.targets.all()) {
    object["targets"] = "*";
  } else {
    object["targets"] = json::array(record.targets.names().begin(), record.targets.names().end());
  }
  object["csvUID"] = record.csv_uid;
  object["operatorGroupUID"] = record.group_uid;
  json::object definitions;
  for (const auto& [name, definition] : record.definitions) {
    definitions[name] = EncodeDefinition(definition);
  }
  object["definitions"] = std::move(definitions);
  return Serialize(object);
}

absl::StatusOr<CleanupRecord> DecodeRecord(std::string_view text) {
  JsonLimits limits;
  limits.refuse_duplicate_keys = true;
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text, limits));
  const json::object* object = value.if_object();
  if (object == nullptr || object->size() != 4) return Bad("not an object of four members");
  const json::value* targets = object->if_contains("targets");
  if (targets == nullptr) return Bad("targets is missing");
  CleanupRecord record;
  ASSIGN_OR_RETURN(record.targets, DecodeTargets(*targets));
  const json::value* definitions = object->if_contains("definitions");
  if (definitions == nullptr) return Bad("definitions is missing");
  ASSIGN_OR_RETURN(record.definitions, DecodeDefinitions(*definitions));
  record.csv_uid = StringAt(*object, "csvUID");
  record.group_uid = StringAt(*object, "operatorGroupUID");
  if (record.csv_uid.empty()) return Bad("csvUID is missing");
  if (record.group_uid.empty()) return Bad("operatorGroupUID is missing");
  return record;
}

size_t SizeOf(const CleanupRecord& record) {
  return kRecordAnnotation.size() + EncodeRecord(record).size();
}

bool HasRoomForMarks(size_t others) { return others + kMarkBytes <= kMaxAnnotationBytes; }

bool HasRoomFor(const CleanupRecord& record, size_t others) {
  return HasRoomForMarks(others + SizeOf(record));
}

}  // namespace steward::olm
