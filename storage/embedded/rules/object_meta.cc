#include "storage/embedded/rules/object_meta.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/time.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

enum class Form { kString, kInteger, kTime, kStringMap, kStringList, kOwners, kEntries, kFlag };

struct Field {
  std::string_view name;
  Form form;
  std::string_view go_type;
  bool stored = true;
};

constexpr Field kMetaFields[] = {
    {"name", Form::kString, "string"},
    {"generateName", Form::kString, "string"},
    {"namespace", Form::kString, "string"},
    {"selfLink", Form::kString, "string", false},
    {"uid", Form::kString, "types.UID"},
    {"resourceVersion", Form::kString, "string"},
    {"generation", Form::kInteger, "int64"},
    {"creationTimestamp", Form::kTime, "string"},
    {"deletionTimestamp", Form::kTime, "string"},
    {"deletionGracePeriodSeconds", Form::kInteger, "int64"},
    {"labels", Form::kStringMap, "map[string]string"},
    {"annotations", Form::kStringMap, "map[string]string"},
    {"ownerReferences", Form::kOwners, "[]v1.OwnerReference"},
    {"finalizers", Form::kStringList, "[]string"},
    {"managedFields", Form::kEntries, "[]v1.ManagedFieldsEntry", false},
};

constexpr Field kOwnerFields[] = {
    {"apiVersion", Form::kString, "string"}, {"kind", Form::kString, "string"},
    {"name", Form::kString, "string"},       {"uid", Form::kString, "types.UID"},
    {"controller", Form::kFlag, "bool"},     {"blockOwnerDeletion", Form::kFlag, "bool"},
};

template <size_t n>
const Field* Find(const Field (&fields)[n], json::string_view name) {
  for (const Field& field : fields) {
    if (View(name) == field.name) return &field;
  }
  return nullptr;
}

// Decodes one struct's members. Keeps the first problem; later values are meaningless.
class Decoder {
 public:
  explicit Decoder(std::string_view path) : path_(path) {}

  json::value Decode(const Field& field, const json::value& value) {
    switch (field.form) {
      case Form::kString:
        return value.is_string() ? value : Fail(field, value, field.go_type);
      case Form::kFlag:
        return value.is_bool() ? value : Fail(field, value, field.go_type);
      case Form::kInteger:
        return value.is_int64() ? value : Fail(field, value, field.go_type);
      case Form::kTime:
        return Time(field, value);
      case Form::kStringMap:
        return StringMap(field, value);
      case Form::kStringList:
        return StringList(field, value);
      case Form::kOwners:
        return Owners(field, value);
      case Form::kEntries:
        return value.is_array() ? json::value(json::array()) : Fail(field, value, field.go_type);
    }
    return nullptr;
  }
  std::string& problem() { return problem_; }

 private:
  json::value Fail(const Field& field, const json::value& value, std::string_view go_type) {
    if (!problem_.empty()) return nullptr;
    std::string what(JsonTypeName(value));
    if (field.form == Form::kInteger && value.is_number()) StrAppend(&what, " ", Serialize(value));
    problem_ = StrCat("json: cannot unmarshal ", what, " into Go struct field ", struct_, ".",
                      path_, field.name, " of type ", go_type);
    return nullptr;
  }

  json::value Time(const Field& field, const json::value& value) {
    if (!value.is_string()) return Fail(field, value, field.go_type);
    const std::string_view text = View(value.get_string());
    const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(text);
    // In UTC the year may be outside of the range that can be written.
    const int64_t year = time.ok() ? absl::ToCivilYear(*time, absl::UTCTimeZone()).year() : -1;
    if (year >= 0 && year <= 9999) return json::value(kube::FormatRfc3339(*time));
    if (problem_.empty()) {
      problem_ = StrCat("parsing time ", kube::Quote(text),
                        " as \"2006-01-02T15:04:05Z07:00\": not an RFC 3339 time");
    }
    return nullptr;
  }

  // A null becomes "", as in Go.
  json::value String(const Field& field, const json::value& value) {
    if (value.is_null()) return "";
    return value.is_string() ? value : Fail(field, value, "string");
  }

  json::value StringMap(const Field& field, const json::value& value) {
    if (!value.is_object()) return Fail(field, value, field.go_type);
    json::object out;
    for (const auto& [key, element] : value.get_object()) out.emplace(key, String(field, element));
    return out;
  }

  json::value StringList(const Field& field, const json::value& value) {
    if (!value.is_array()) return Fail(field, value, field.go_type);
    json::array out;
    for (const json::value& element : value.get_array()) out.push_back(String(field, element));
    return out;
  }

  json::value Owners(const Field& field, const json::value& value) {
    if (!value.is_array()) return Fail(field, value, field.go_type);
    json::array out;
    absl::flat_hash_set<std::string> seen;
    for (const json::value& element : value.get_array()) {
      if (!element.is_null() && !element.is_object()) Fail(field, element, "v1.OwnerReference");
      json::value owner = Owner(element.is_object() ? element.get_object() : json::object());
      if (seen.insert(Serialize(owner)).second) out.push_back(std::move(owner));
    }
    return out;
  }

  json::value Owner(const json::object& element) {
    Decoder decoder(path_, "OwnerReference", "ownerReferences.");
    json::object owner;
    for (const auto& member : element) {
      const Field* field = Find(kOwnerFields, member.key());
      if (field == nullptr || member.value().is_null()) continue;
      owner[member.key()] = decoder.Decode(*field, member.value());
    }
    if (problem_.empty()) problem_ = std::move(decoder.problem_);
    json::object out;
    for (const Field& field : kOwnerFields) {
      const json::value* value = owner.if_contains(Key(field.name));
      // Members are encoded even when empty, except flags, which may be absent.
      if (value == nullptr && field.form == Form::kFlag) continue;
      out.emplace(Key(field.name), value == nullptr ? json::value("") : *value);
    }
    return out;
  }

  Decoder(std::string_view path, std::string_view go_struct, std::string_view below)
      : path_(StrCat(path, below)), struct_(go_struct) {}

  std::string path_;
  std::string_view struct_ = "ObjectMeta";
  std::string problem_;
};

// True for the values that Go's `omitempty` omits. A grace period of 0 is not one: it is a pointer.
bool IsEmpty(const Field& field, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return true;
    case json::kind::string:
      return value.get_string().empty();
    case json::kind::array:
      return value.get_array().empty();
    case json::kind::object:
      return value.get_object().empty();
    case json::kind::int64:
      return field.name == "generation" && value.get_int64() == 0;
    default:
      return false;
  }
}

}  // namespace

std::string_view JsonTypeName(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "bool";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
    default:
      return "number";
  }
}

DecodedMeta DecodeMeta(const json::value* metadata, std::string_view path) {
  DecodedMeta result;
  if (metadata == nullptr || !metadata->is_object()) return result;
  Decoder decoder(path);
  json::object members;
  for (const auto& member : metadata->get_object()) {
    const Field* field = Find(kMetaFields, member.key());
    if (field == nullptr || member.value().is_null()) continue;
    json::value value = decoder.Decode(*field, member.value());
    if (field->stored && !IsEmpty(*field, value)) members[member.key()] = std::move(value);
  }
  result.meta = InOrder(members);
  result.problem = std::move(decoder.problem());
  return result;
}

json::object InOrder(const json::object& meta) {
  json::object out;
  out.reserve(meta.size());
  for (const Field& field : kMetaFields) {
    if (const json::value* value = meta.if_contains(Key(field.name))) {
      out.emplace(Key(field.name), *value);
    }
  }
  return out;
}

const json::object& MetaOf(const json::object& object) {
  return object.at("metadata").get_object();
}

}  // namespace steward::storage
