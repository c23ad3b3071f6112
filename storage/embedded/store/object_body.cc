#include "storage/embedded/store/object_body.h"

#include <boost/json/array.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/client/raw_object.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

// The depth is above what a client may send (JsonLimits), since a limit there would make a stored
// object unreadable.
constexpr JsonLimits kStored = {.max_size = 64 << 20, .max_depth = 512};

void AppendMember(json::string_view key, const json::value& value, std::string& out) {
  out += ',';
  AppendJsonString(View(key), out);
  out += ':';
  AppendJson(value, out);
}

std::string Prefix(const kube::GroupVersionKind& gvk, int64_t revision) {
  std::string prefix = R"({"apiVersion":)";
  AppendJsonString(gvk.ApiVersion(), prefix);
  prefix += R"(,"kind":)";
  AppendJsonString(gvk.kind, prefix);
  StrAppend(&prefix, R"(,"metadata":{"resourceVersion":")", revision, "\"");
  return prefix;
}

}  // namespace

std::string BodyOf(const json::object& object) {
  std::string body;
  for (const auto& [key, value] : object.at("metadata").as_object()) {
    if (key != "resourceVersion") AppendMember(key, value, body);
  }
  body += '}';
  for (const auto& [key, value] : object) {
    if (key != "metadata" && key != "apiVersion" && key != "kind") AppendMember(key, value, body);
  }
  body += '}';
  return body;
}

std::string RenderObject(const kube::GroupVersionKind& gvk, int64_t revision,
                         std::string_view body) {
  return StrCat(Prefix(gvk, revision), body);
}

kube::RawObject RenderRaw(const kube::GroupVersionKind& gvk, int64_t revision,
                          std::string_view body) {
  return kube::OwnedRawObject(RenderObject(gvk, revision, body));
}

std::string RevisionOf(std::string_view rendered) {
  // The names of the kind before it cannot contain a quoted name of a member.
  constexpr std::string_view kMember = R"("resourceVersion":")";
  const size_t start = rendered.find(kMember) + kMember.size();
  return std::string(rendered.substr(start, rendered.find('"', start) - start));
}

absl::StatusOr<json::object> ParseBody(const kube::GroupVersionKind& gvk, int64_t revision,
                                       std::string_view body) {
  absl::StatusOr<json::value> value = ParseJson(RenderObject(gvk, revision, body), kStored);
  if (!value.ok() || !value->is_object()) {
    return absl::DataLossError(StrCat("the state at revision ", revision, " cannot be read"));
  }
  return std::move(value->get_object());
}

absl::StatusOr<json::object> ParseMetadata(std::string_view body) {
  json::parse_options options;
  options.max_depth = kStored.max_depth;
  json::stream_parser parser({}, options);
  json::error_code error;
  // The body continues where the metadata was left off, and write_some stops where the metadata
  // ends.
  parser.write_some(R"({"resourceVersion":"")", error);
  if (!error) parser.write_some(body.data(), body.size(), error);
  if (error || !parser.done()) return absl::DataLossError("an object's metadata cannot be read");
  json::value metadata = parser.release();
  return std::move(metadata.get_object());
}

std::string KeyOf(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : StrCat(ns, "/", name);
}

kube::NamespacedName NameOf(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {"", std::string(key)};
  return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

std::vector<std::string> OwnersOf(const json::object& object) {
  std::vector<std::string> owners;
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata == nullptr) return owners;
  const json::array* references = ArrayAt(*metadata, "ownerReferences");
  if (references == nullptr) return owners;
  for (const json::value& reference : *references) {
    if (!reference.is_object()) continue;
    const std::string_view uid = StringAt(reference.get_object(), "uid");
    if (!uid.empty()) owners.emplace_back(uid);
  }
  return owners;
}

}  // namespace steward::storage
