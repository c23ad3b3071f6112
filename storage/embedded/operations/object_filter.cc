#include "storage/embedded/operations/object_filter.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <utility>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "storage/embedded/store/object_body.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr std::string_view kName = "metadata.name";
constexpr std::string_view kNamespace = "metadata.namespace";

// The fields that kube-apiserver selects by, beside name and namespace.
struct KindFields {
  std::string_view resource;
  std::string_view path;
  std::string_view member = path;  // the member's place in the object
};
constexpr KindFields kFields[] = {
    {"events", "involvedObject.kind"},
    {"events", "involvedObject.namespace"},
    {"events", "involvedObject.name"},
    {"events", "involvedObject.uid"},
    {"events", "involvedObject.apiVersion"},
    {"events", "involvedObject.resourceVersion"},
    {"events", "involvedObject.fieldPath"},
    {"events", "reason"},
    {"events", "reportingComponent"},
    {"events", "type"},
    {"events", "source", "source.component"},
    {"namespaces", "status.phase"},
    {"secrets", "type"},
};

absl::Status CheckPath(const kube::ResourceType& type, const std::string& path) {
  if (path == kName || (path == kNamespace && type.namespaced)) return absl::OkStatus();
  const std::string resource = type.gvr().GroupResource();
  const bool known = std::any_of(
      std::begin(kFields), std::end(kFields),
      [&](const KindFields& fields) { return fields.resource == resource && fields.path == path; });
  if (known) return absl::OkStatus();
  return kube::ToStatus(kube::BadRequest(StrCat("field label not supported: ", path)));
}

// The place in an object of the field that selectors call `path`.
std::string_view MemberOf(std::string_view path) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const KindFields& fields) { return fields.path == path; });
  return found == std::end(kFields) ? path : found->member;
}

// The text at a dotted path; "" when there is none.
std::string FieldAt(const json::object& object, std::string_view path) {
  const json::object* parent = &object;
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    parent = ObjectAt(*parent, path.substr(0, dot));
    if (parent == nullptr) return "";
    path.remove_prefix(dot + 1);
  }
  return std::string(StringAt(*parent, path));
}

kube::LabelMap LabelsOf(const json::object& metadata) {
  kube::LabelMap labels;
  const json::value* value = metadata.if_contains("labels");
  if (value == nullptr || !value->is_object()) return labels;
  for (const auto& [key, label] : value->get_object()) {
    if (!label.is_string()) continue;
    labels.emplace(std::string(key.data(), key.size()),
                   std::string(label.get_string().data(), label.get_string().size()));
  }
  return labels;
}

}  // namespace

absl::StatusOr<ObjectFilter> ObjectFilter::Create(const kube::ResourceType& type,
                                                  const std::string& ns,
                                                  const std::string& label_selector,
                                                  const std::string& field_selector) {
  ObjectFilter filter;
  if (!ns.empty()) filter.key_prefix_ = StrCat(ns, "/");
  absl::StatusOr<kube::LabelSelector> labels = kube::LabelSelector::Parse(label_selector);
  if (!labels.ok()) {
    return kube::ToStatus(kube::BadRequest(ToStd(labels.status().message())));
  }
  absl::StatusOr<kube::FieldSelector> fields = kube::FieldSelector::Parse(field_selector);
  if (!fields.ok()) {
    return kube::ToStatus(kube::BadRequest(ToStd(fields.status().message())));
  }
  for (const kube::FieldSelector::Term& term : fields->terms()) {
    RETURN_IF_ERROR(CheckPath(type, term.path));
    if (term.path != kName && term.path != kNamespace) filter.fields_in_body_ = true;
  }
  filter.labels_ = *std::move(labels);
  filter.fields_ = *std::move(fields);
  return filter;
}

absl::StatusOr<bool> ObjectFilter::Matches(std::string_view key, std::string_view body) const {
  json::object whole;
  if (fields_in_body_) {
    ASSIGN_OR_RETURN(whole, ParseBody({}, 0, body));
  }
  const auto field = [&](std::string_view path) {
    if (path == kName) return NameOf(key).name;
    if (path == kNamespace) return NameOf(key).ns;
    return FieldAt(whole, MemberOf(path));
  };
  if (!fields_.Matches(field)) return false;
  if (labels_.empty()) return true;
  ASSIGN_OR_RETURN(const json::object metadata, ParseMetadata(body));
  return labels_.Matches(LabelsOf(metadata));
}

}  // namespace steward::storage
