#include "olm/decode.h"

#include <simdjson.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/copy.h"
#include "olm/csv_decode.h"

namespace steward::olm {
namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

absl::Status Malformed(std::string_view where, simdjson::error_code error) {
  return absl::InvalidArgumentError(StrCat(where, ": ", simdjson::error_message(error)));
}

// Calls `visit(key, value)` for each member; a member whose value `visit` does not read is skipped.
using Visit = std::function<absl::Status(std::string_view key, value member)>;
absl::Status ForEachMember(object members, std::string_view where, const Visit& visit) {
  for (auto result : members) {
    simdjson::ondemand::field field;
    if (auto error = std::move(result).get(field)) return Malformed(where, error);
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return Malformed(where, error);
    // Nested reads reuse the parser's string buffer, so the key is copied.
    const std::string own_key(key);
    RETURN_IF_ERROR(visit(own_key, field.value()));
  }
  return absl::OkStatus();
}

absl::Status VisitObject(value v, std::string_view where, const Visit& visit) {
  json_type type;
  if (auto error = v.type().get(type)) return Malformed(where, error);
  if (type == json_type::null) return absl::OkStatus();
  object members;
  if (auto error = v.get_object().get(members)) return Malformed(where, error);
  return ForEachMember(members, where, visit);
}

// Null reads as "".
absl::Status ReadString(value v, std::string_view where, std::string& out) {
  json_type type;
  if (auto error = v.type().get(type)) return Malformed(where, error);
  if (type == json_type::null) return absl::OkStatus();
  std::string_view text;
  if (auto error = v.get_string().get(text)) return Malformed(where, error);
  out.assign(text);
  return absl::OkStatus();
}

absl::Status Minify(std::string_view raw, std::string_view where, std::string& out) {
  const size_t start = out.size();
  out.resize(start + raw.size());
  size_t length = 0;
  if (auto error = simdjson::minify(raw.data(), raw.size(), out.data() + start, length)) {
    return Malformed(where, error);
  }
  out.resize(start + length);
  return absl::OkStatus();
}

// Appends the compact JSON of `v`.
absl::Status AppendCompact(value v, std::string_view where, std::string& out) {
  std::string_view raw;
  json_type type;
  if (auto error = v.type().get(type)) return Malformed(where, error);
  if (type == json_type::object) {
    object o;
    if (auto error = v.get_object().get(o)) return Malformed(where, error);
    if (auto error = o.raw_json().get(raw)) return Malformed(where, error);
  } else if (type == json_type::array) {
    simdjson::ondemand::array a;
    if (auto error = v.get_array().get(a)) return Malformed(where, error);
    if (auto error = a.raw_json().get(raw)) return Malformed(where, error);
  } else {
    raw = v.raw_json_token();
  }
  return Minify(raw, where, out);
}

// Appends `"key":value` to the inside of an object.
absl::Status AppendMember(std::string_view key, value v, std::string_view where, std::string& out) {
  if (!out.empty()) out.push_back(',');
  AppendJsonString(key, out);
  out.push_back(':');
  return AppendCompact(v, where, out);
}

void AppendTextMember(std::string_view key, std::string_view text, std::string& out) {
  if (!out.empty()) out.push_back(',');
  AppendJsonString(key, out);
  out.push_back(':');
  AppendJsonString(text, out);
}

// Parses a JSON scalar that must be a string; absent or null is "".
absl::Status StringOf(std::string_view json, std::string_view where, std::string& out) {
  if (json.empty()) return absl::OkStatus();
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(boost::json::string_view(json), error);
  if (error) return absl::InvalidArgumentError(StrCat(where, ": ", error.message()));
  if (parsed.is_null()) return absl::OkStatus();
  if (!parsed.is_string()) return absl::InvalidArgumentError(StrCat(where, ": not a string"));
  out = std::string_view(parsed.get_string());
  return absl::OkStatus();
}

// The text of a JSON scalar that should be a string: a string's content, "" for null, else the JSON
// itself. "" for absent.
std::string TextOf(std::string_view json) {
  std::string text;
  if (StringOf(json, "", text).ok()) return text;
  return std::string(json);
}

// Sets `out` to the TextOf a value that is read once.
absl::Status ReadText(value v, std::string_view where, std::string& out) {
  std::string json;
  RETURN_IF_ERROR(AppendCompact(v, where, json));
  out = TextOf(json);
  return absl::OkStatus();
}

bool IsObject(value v) {
  json_type type;
  return !v.type().get(type) && type == json_type::object;
}

// The API server writes times in this form already; any other form is normalized, so that text
// order is time order.
std::string NormalTime(const std::string& text) {
  const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(text);
  return time.ok() ? kube::FormatRfc3339(*time) : text;
}

struct Metadata {
  kube::NamespacedName key;
  std::string uid;
  std::string created;
  kube::LabelMap labels;
  std::string kept_labels_json;
  std::string kept_annotations_json;
  bool has_operator_namespace = false;
  std::string operator_namespace;
  bool has_cleanup_finalizer = false;
  bool deleting = false;
  Written written;
};

absl::Status ReadFinalizers(value v, Metadata& out) {
  json_type type;
  if (auto error = v.type().get(type)) return Malformed("metadata.finalizers", error);
  if (type == json_type::null) return absl::OkStatus();
  simdjson::ondemand::array finalizers;
  if (auto error = v.get_array().get(finalizers)) return Malformed("metadata.finalizers", error);
  for (auto item : finalizers) {
    std::string_view name;
    if (auto error = item.get_string().get(name)) return Malformed("metadata.finalizers", error);
    if (name == kCleanupFinalizer) out.has_cleanup_finalizer = true;
  }
  return absl::OkStatus();
}

// Leaves the revision unknown (0) if the resourceVersion is not a revision of etcd.
absl::Status ReadRevision(value v, Written& out) {
  std::string text;
  RETURN_IF_ERROR(ReadText(v, "metadata.resourceVersion", text));
  if (!absl::SimpleAtoi(text, &out.revision)) out.revision = 0;
  return absl::OkStatus();
}

absl::Status ReadMetadata(value v, Metadata& out) {
  return VisitObject(v, "metadata", [&out](std::string_view key, value member) -> absl::Status {
    if (key == "name") return ReadString(member, "metadata.name", out.key.name);
    if (key == "namespace") return ReadString(member, "metadata.namespace", out.key.ns);
    if (key == "uid") return ReadString(member, "metadata.uid", out.uid);
    if (key == "creationTimestamp") {
      RETURN_IF_ERROR(ReadString(member, "metadata.creationTimestamp", out.created));
      out.created = NormalTime(out.created);
      return absl::OkStatus();
    }
    if (key == "resourceVersion") return ReadRevision(member, out.written);
    if (key == "finalizers") return ReadFinalizers(member, out);
    if (key == "deletionTimestamp") {
      std::string time;
      RETURN_IF_ERROR(ReadString(member, "metadata.deletionTimestamp", time));
      out.deleting = !time.empty();
      return absl::OkStatus();
    }
    if (key == "labels") {
      return VisitObject(member, "metadata.labels", [&](std::string_view name, value text) {
        return ReadString(text, "metadata.labels", out.labels[std::string(name)]);
      });
    }
    if (key == "annotations") {
      return VisitObject(member, "metadata.annotations", [&](std::string_view name, value text) {
        if (name == kOperatorNamespaceAnnotation) {
          out.has_operator_namespace = true;
          // A scalar must not be read twice: its raw text serves both uses.
          std::string quoted;
          RETURN_IF_ERROR(AppendCompact(text, "metadata.annotations", quoted));
          RETURN_IF_ERROR(StringOf(quoted, "metadata.annotations", out.operator_namespace));
          if (!out.kept_annotations_json.empty()) out.kept_annotations_json.push_back(',');
          StrAppend(&out.kept_annotations_json, "\"", name, "\":", quoted);
          return absl::OkStatus();
        }
        if (!CopyKeepsAnnotation(name)) return absl::OkStatus();
        return AppendMember(name, text, "metadata.annotations", out.kept_annotations_json);
      });
    }
    return absl::OkStatus();
  });
}

// Copies the text, to add the padding that simdjson needs, and visits the top-level members.
absl::Status DecodeDocument(std::string_view json, const Visit& visit) {
  thread_local simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(json);
  simdjson::ondemand::document document;
  if (auto error = parser.iterate(padded).get(document)) return Malformed("object", error);
  object root;
  if (auto error = document.get_object().get(root)) return Malformed("object", error);
  RETURN_IF_ERROR(ForEachMember(root, "object", visit));
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return absl::InvalidArgumentError("object: trailing content");
  }
  return absl::OkStatus();
}

absl::Status CheckIdentity(const Metadata& metadata, bool namespaced) {
  if (metadata.key.name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  if (metadata.uid.empty()) return absl::InvalidArgumentError("metadata.uid: missing");
  if (namespaced && metadata.key.ns.empty()) {
    return absl::InvalidArgumentError("metadata.namespace: missing");
  }
  return absl::OkStatus();
}

// Reads `list` as names; false when it is not a list of strings.
bool ReadNames(const boost::json::value& list, std::vector<std::string>& names) {
  const boost::json::array* items = list.if_array();
  if (items == nullptr) return false;
  for (const boost::json::value& item : *items) {
    if (!item.is_string()) return false;
    names.emplace_back(std::string_view(item.get_string()));
  }
  return true;
}

absl::StatusOr<boost::json::value> ReadJson(value v, std::string_view where) {
  std::string text;
  RETURN_IF_ERROR(AppendCompact(v, where, text));
  boost::system::error_code error;
  boost::json::value parsed = boost::json::parse(text, error);
  if (error) return absl::InvalidArgumentError(StrCat(where, ": ", error.message()));
  return parsed;
}

// Null and absent members are null.
const boost::json::value& MemberOf(const boost::json::object& object, std::string_view key) {
  static const boost::json::value& null = *new boost::json::value();
  const boost::json::value* member = object.if_contains(key);
  return member == nullptr ? null : *member;
}

// True when the fields of the selector have the types that Kubernetes requires; their values may be
// invalid.
bool IsSelector(const boost::json::value& selector) {
  const boost::json::object* members = selector.if_object();
  if (members == nullptr) return false;
  const boost::json::value& labels = MemberOf(*members, "matchLabels");
  if (!labels.is_null() && !labels.is_object()) return false;
  if (labels.is_object()) {
    for (const auto& label : labels.get_object()) {
      if (!label.value().is_string()) return false;
    }
  }
  const boost::json::value& expressions = MemberOf(*members, "matchExpressions");
  return expressions.is_null() || expressions.is_array();
}

absl::Status ReadGroupSpec(value v, OperatorGroup& group) {
  ASSIGN_OR_RETURN(const boost::json::value spec, ReadJson(v, "spec"));
  if (spec.is_null()) return absl::OkStatus();
  const boost::json::object* members = spec.if_object();
  if (members == nullptr) {
    group.unreadable = "spec is no object";
    return absl::OkStatus();
  }
  const boost::json::value& targets = MemberOf(*members, "targetNamespaces");
  if (!targets.is_null() && !ReadNames(targets, group.target_namespaces)) {
    group.unreadable = "spec.targetNamespaces is no list of texts";
    group.target_namespaces.clear();
  }
  for (const std::string& name : group.target_namespaces) {
    if (name.empty()) group.invalid = "spec.targetNamespaces names an empty namespace";
  }
  const boost::json::value& selector = MemberOf(*members, "selector");
  if (selector.is_null()) return absl::OkStatus();
  if (!IsSelector(selector)) {
    group.unreadable = "spec.selector is no label selector";
    return absl::OkStatus();
  }
  absl::StatusOr<kube::LabelSelector> parsed = kube::LabelSelector::FromJson(selector);
  if (parsed.ok()) {
    group.selector = *std::move(parsed);
  } else {
    group.invalid = StrCat("spec.selector: ", parsed.status().message());
  }
  return absl::OkStatus();
}

absl::Status ReadGroupStatus(value v, OperatorGroup& group) {
  ASSIGN_OR_RETURN(const boost::json::value status, ReadJson(v, "status"));
  const boost::json::object* members = status.if_object();
  const boost::json::value* list = members == nullptr ? nullptr : &MemberOf(*members, "namespaces");
  if (list == nullptr || list->is_null()) return absl::OkStatus();
  std::vector<std::string> synced;
  bool sound = ReadNames(*list, synced);
  for (const std::string& name : synced) {
    // "" stands for all namespaces and must be the only entry.
    sound = sound && (synced.size() == 1 || !name.empty());
  }
  if (!sound) {
    group.invalid_status = "status.namespaces is no list of namespaces";
  } else if (!synced.empty()) {
    group.synced = std::move(synced);
  }
  return absl::OkStatus();
}

// Reads status.phase and nothing else.
absl::Status ReadNamespaceStatus(value v, Namespace& ns) {
  return VisitObject(v, "status", [&ns](std::string_view key, value member) -> absl::Status {
    if (key != "phase") return absl::OkStatus();
    std::string phase;
    RETURN_IF_ERROR(ReadString(member, "status.phase", phase));
    ns.terminating = phase == "Terminating";
    return absl::OkStatus();
  });
}

absl::Status ReadIcon(value v, Icon& icon) {
  json_type type;
  if (auto error = v.type().get(type)) return Malformed("spec.icon", error);
  if (type == json_type::null) return absl::OkStatus();
  simdjson::ondemand::array icons;
  if (auto error = v.get_array().get(icons)) return Malformed("spec.icon", error);
  value first;
  const auto error = icons.at(0).get(first);
  if (error == simdjson::INDEX_OUT_OF_BOUNDS) return absl::OkStatus();
  if (error) return Malformed("spec.icon", error);
  return VisitObject(first, "spec.icon", [&](std::string_view key, value member) -> absl::Status {
    if (key == "base64data") return ReadString(member, "spec.icon.base64data", icon.bytes);
    if (key == "mediatype") return ReadString(member, "spec.icon.mediatype", icon.media_type);
    return absl::OkStatus();
  });
}

// Reads the fields of spec that tables and rules use; `spec` becomes the compact JSON of all of it,
// "" if it is null.
absl::Status ReadSpec(value v, std::string& spec, Csv& csv, bool& cleanup_enabled) {
  spec.clear();
  json_type type;
  if (auto error = v.type().get(type)) return Malformed("spec", error);
  if (type == json_type::null) return absl::OkStatus();
  if (type != json_type::object) return AppendCompact(v, "spec", spec);
  object members;
  if (auto error = v.get_object().get(members)) return Malformed("spec", error);
  std::string_view raw;
  if (auto error = members.raw_json().get(raw)) return Malformed("spec", error);
  RETURN_IF_ERROR(Minify(raw, "spec", spec));
  if (auto error = members.reset().error()) return Malformed("spec", error);
  return ForEachMember(members, "spec", [&](std::string_view key, value member) -> absl::Status {
    if (key == "displayName") return ReadText(member, "spec.displayName", csv.display_name);
    if (key == "version") return ReadText(member, "spec.version", csv.version);
    if (key == "release") return ReadText(member, "spec.release", csv.release);
    if (key == "replaces") return ReadText(member, "spec.replaces", csv.replaces);
    if (key == "cleanup") {
      if (!IsObject(member)) return absl::OkStatus();
      return VisitObject(member, "spec.cleanup", [&](std::string_view name, value flag) {
        if (name != "enabled") return absl::OkStatus();
        json_type kind;
        if (auto error = flag.type().get(kind)) return Malformed("spec.cleanup.enabled", error);
        cleanup_enabled = false;
        if (kind != json_type::boolean) return absl::OkStatus();
        if (auto error = flag.get_bool().get(cleanup_enabled)) {
          return Malformed("spec.cleanup.enabled", error);
        }
        return absl::OkStatus();
      });
    }
    return absl::OkStatus();
  });
}

// Appends `"cleanup":{}` unless the value is null. The contents name objects in other namespaces.
absl::Status AppendEmptyCleanup(value v, std::string& status) {
  json_type type;
  if (auto error = v.type().get(type)) return Malformed("status.cleanup", error);
  if (type == json_type::null) return absl::OkStatus();
  StrAppend(&status, status.empty() ? "" : ",", R"("cleanup":{})");
  return absl::OkStatus();
}

// Appends the members of the status that a copy keeps to `status`.
absl::Status ReadCsvStatus(value v, Csv& csv, std::string& status) {
  if (!IsObject(v)) return absl::OkStatus();
  return VisitObject(v, "status", [&](std::string_view key, value member) -> absl::Status {
    if (key == "cleanup") return AppendEmptyCleanup(member, status);
    if (key == "message") return AppendCompact(member, "status.message", csv.message_json);
    if (key == "reason") return AppendCompact(member, "status.reason", csv.reason_json);
    const size_t start = status.size();
    RETURN_IF_ERROR(AppendMember(key, member, "status", status));
    if (key != "phase") return absl::OkStatus();
    const std::string_view phase = std::string_view(status).substr(start);
    csv.phase = TextOf(phase.substr(phase.find(':') + 1));
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<NamespacePtr> DecodeNamespace(std::string_view json) {
  Metadata metadata;
  auto ns = std::make_shared<Namespace>();
  RETURN_IF_ERROR(DecodeDocument(json, [&](std::string_view key, value member) -> absl::Status {
    if (key == "metadata") return ReadMetadata(member, metadata);
    if (key == "status") return ReadNamespaceStatus(member, *ns);
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(CheckIdentity(metadata, /*namespaced=*/false));
  ns->name = std::move(metadata.key.name);
  ns->uid = std::move(metadata.uid);
  ns->created = std::move(metadata.created);
  ns->labels = std::move(metadata.labels);
  ns->terminating = ns->terminating || metadata.deleting;
  ns->written = metadata.written;
  return ns;
}

absl::StatusOr<OperatorGroupPtr> DecodeOperatorGroup(std::string_view json) {
  Metadata metadata;
  auto group = std::make_shared<OperatorGroup>();
  RETURN_IF_ERROR(DecodeDocument(json, [&](std::string_view key, value member) -> absl::Status {
    if (key == "metadata") return ReadMetadata(member, metadata);
    if (key == "spec") return ReadGroupSpec(member, *group);
    if (key == "status") return ReadGroupStatus(member, *group);
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(CheckIdentity(metadata, /*namespaced=*/true));
  group->key = std::move(metadata.key);
  group->uid = std::move(metadata.uid);
  group->deleting = metadata.deleting;
  group->written = metadata.written;
  return group;
}

absl::StatusOr<CsvPtr> DecodeCsv(std::string_view json) {
  Metadata metadata;
  auto csv = std::make_shared<Csv>();
  std::string spec, status;
  bool cleanup_enabled = false;
  RETURN_IF_ERROR(DecodeDocument(json, [&](std::string_view key, value member) -> absl::Status {
    if (key == "metadata") return ReadMetadata(member, metadata);
    if (key == "spec") return ReadSpec(member, spec, *csv, cleanup_enabled);
    if (key == "status") return ReadCsvStatus(member, *csv, status);
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(CheckIdentity(metadata, /*namespaced=*/true));
  if (spec.empty()) spec = "{}";
  csv->reason = TextOf(csv->reason_json);
  csv->key = std::move(metadata.key);
  csv->uid = std::move(metadata.uid);
  csv->created = std::move(metadata.created);
  csv->written = metadata.written;
  csv->cleanup_opted_in = cleanup_enabled && metadata.has_cleanup_finalizer;

  CopyMarks marks;
  marks.ns = csv->key.ns;
  marks.reason = csv->reason;
  marks.has_copied_from_label = metadata.labels.contains(kCopiedFromLabel);
  if (metadata.has_operator_namespace) {
    marks.operator_namespace_annotation = metadata.operator_namespace;
  }
  csv->copied = IsCopied(marks);
  if (!marks.has_copied_from_label || csv->reason != kReasonCopied) {
    ASSIGN_OR_RETURN(CsvCleanup cleanup, DecodeCsvCleanup(json));
    csv->cleanup = std::make_shared<const CsvCleanup>(std::move(cleanup));
  }
  if (csv->copied) {
    auto copy = std::make_shared<Csv>();
    copy->cleanup = std::move(csv->cleanup);
    copy->key = std::move(csv->key);
    copy->uid = std::move(csv->uid);
    copy->created = std::move(csv->created);
    copy->phase = std::move(csv->phase);
    copy->reason = std::move(csv->reason);
    copy->copied = true;
    copy->written = metadata.written;
    return copy;
  }
  for (auto& [label, text] : metadata.labels) {
    AppendTextMember(label, text, csv->own_labels_json);
    if (CopyKeepsLabel(label)) {
      AppendTextMember(label, text, csv->labels_json);
      csv->labels.emplace(label, text);
    } else {
      csv->component_labels.emplace(label, text);
    }
  }
  if (csv->component_labels.empty()) csv->own_labels_json = "";
  csv->annotations_json = SharedText(std::move(metadata.kept_annotations_json));
  csv->spec_json = SharedText(std::move(spec));
  csv->status_json = SharedText(std::move(status));
  return csv;
}

absl::StatusOr<Icon> DecodeIcon(const Csv& csv) {
  if (!csv.spec_json.view().starts_with('{')) {
    return absl::NotFoundError("the operator has no icon");
  }
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(csv.spec_json.view());
  simdjson::ondemand::document document;
  if (auto error = parser.iterate(padded).get(document)) return Malformed("spec", error);
  Icon icon;
  value list;
  const simdjson::error_code error = document.find_field_unordered("icon").get(list);
  if (error != simdjson::SUCCESS && error != simdjson::NO_SUCH_FIELD) {
    return Malformed("spec", error);
  }
  if (error == simdjson::SUCCESS) RETURN_IF_ERROR(ReadIcon(list, icon));
  if (icon.bytes.empty()) return absl::NotFoundError("the operator has no icon");
  std::string decoded;
  if (!absl::Base64Unescape(icon.bytes, &decoded)) {
    return absl::DataLossError("spec.icon[0].base64data is not base64");
  }
  icon.bytes = std::move(decoded);
  return icon;
}

absl::StatusOr<kube::NamespacedName> DecodeKey(std::string_view json) {
  kube::NamespacedName name;
  RETURN_IF_ERROR(DecodeDocument(json, [&](std::string_view key, value member) -> absl::Status {
    if (key != "metadata") return absl::OkStatus();
    return VisitObject(member, "metadata", [&](std::string_view field, value text) {
      if (field == "name") return ReadString(text, "metadata.name", name.name);
      if (field == "namespace") return ReadString(text, "metadata.namespace", name.ns);
      return absl::OkStatus();
    });
  }));
  if (name.name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  return name;
}

}  // namespace steward::olm
