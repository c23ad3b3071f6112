#include "storage/embedded/rules/object_decode.h"

#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "storage/embedded/rules/content_rules.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/object_meta.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

struct Decoded {
  // The kind that the object has, or the one filled in; no kind where decoding fails before that.
  kube::GroupVersionKind gvk;
  json::object object;
  std::string problem;  // "" = none
};

Decoded Undecodable(std::string problem, kube::GroupVersionKind gvk = {}) {
  return {std::move(gvk), {}, std::move(problem)};
}

bool SplitApiVersion(std::string_view text, kube::GroupVersionKind& gvk) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    gvk.version = text;
    return true;
  }
  gvk.group = text.substr(0, slash);
  gvk.version = text.substr(slash + 1);
  return gvk.version.find('/') == std::string::npos;
}

// The string at `key`, "" when absent or null.
std::string_view TypeMember(const json::object& object, std::string_view key,
                            std::string& problem) {
  const json::value* value = object.if_contains(Key(key));
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return View(value->get_string());
  problem = StrCat("couldn't get version/kind; json parse error: json: cannot unmarshal ",
                   JsonTypeName(*value), " into Go struct field .", key, " of type string");
  return {};
}

// apiVersion and kind, filled in where the type allows that.
Decoded ReadType(const kube::ResourceType& type, const json::object& object) {
  Decoded decoded;
  const std::string_view api_version = TypeMember(object, "apiVersion", decoded.problem);
  const std::string_view kind = TypeMember(object, "kind", decoded.problem);
  if (!decoded.problem.empty()) return decoded;
  if (!SplitApiVersion(api_version, decoded.gvk))
    return Undecodable(StrCat("unexpected GroupVersion string: ", api_version));
  decoded.gvk.kind = kind;
  if (IsCustomResource(type)) {
    if (kind.empty())
      decoded.problem = StrCat("Object 'Kind' is missing in '", Serialize(object), "'");
    return decoded;
  }
  if (kind.empty()) decoded.gvk.kind = type.gvk.kind;
  if (decoded.gvk.version.empty()) {
    if (decoded.gvk.group.empty()) decoded.gvk.group = type.gvk.group;
    if (decoded.gvk.group == type.gvk.group) decoded.gvk.version = type.gvk.version;
  }
  if (decoded.gvk != type.gvk) {
    decoded.problem = StrCat("no kind ", kube::Quote(decoded.gvk.kind),
                             " is registered for version ", kube::Quote(decoded.gvk.ApiVersion()));
  }
  return decoded;
}

Decoded Decode(const kube::ResourceType& type, json::object object) {
  Decoded decoded = ReadType(type, object);
  if (!decoded.problem.empty()) return decoded;
  const bool custom = IsCustomResource(type);
  const json::value* metadata = object.if_contains("metadata");
  if (metadata != nullptr && !metadata->is_null() && !metadata->is_object()) {
    const std::string into =
        custom ? "Go value" : StrCat("Go struct field ", type.gvk.kind, ".metadata");
    return Undecodable(StrCat("json: cannot unmarshal ", JsonTypeName(*metadata), " into ", into,
                              " of type v1.ObjectMeta"),
                       decoded.gvk);
  }
  DecodedMeta meta = DecodeMeta(metadata, custom ? "" : "metadata.");
  if (!meta.problem.empty()) return Undecodable(std::move(meta.problem), decoded.gvk);
  std::string problem = ContentProblem(type, object);
  if (!problem.empty()) return Undecodable(std::move(problem), decoded.gvk);
  decoded.object["apiVersion"] = decoded.gvk.ApiVersion();
  decoded.object["kind"] = decoded.gvk.kind;
  decoded.object["metadata"] = std::move(meta.meta);
  // Members that exist already stay as they are.
  for (auto& member : object) decoded.object.emplace(member.key(), std::move(member.value()));
  return decoded;
}

kube::StatusCause InvalidTypeMember(std::string_view field, std::string_view is,
                                    std::string_view expected) {
  return {"FieldValueInvalid", StrCat("Invalid value: ", kube::Quote(is), ": must be ", expected),
          std::string(field)};
}

}  // namespace

absl::StatusOr<json::object> DecodeBody(const kube::ResourceType& type, json::object object) {
  constexpr size_t kSummary = 30;
  Decoded decoded = Decode(type, object);
  if (decoded.problem.empty()) {
    if (decoded.gvk.ApiVersion() == type.gvk.ApiVersion()) return std::move(decoded.object);
    return kube::ToStatus(kube::BadRequest(
        StrCat("the API version in the data (", decoded.gvk.ApiVersion(),
               ") does not match the expected API version (", type.gvk.ApiVersion(), ")")));
  }
  if (!decoded.gvk.kind.empty()) {
    return kube::ToStatus(
        kube::BadRequest(StrCat(decoded.gvk.kind, " in version ", kube::Quote(decoded.gvk.version),
                                " cannot be handled as a ", type.gvk.kind, ": ", decoded.problem)));
  }
  std::string summary = Serialize(object);
  if (summary.size() > kSummary) summary = summary.substr(0, kSummary) + " ...";
  return kube::ToStatus(
      kube::BadRequest(StrCat("the object provided is unrecognized (must be of type ",
                              type.gvk.kind, "): ", decoded.problem, " (", summary, ")")));
}

absl::StatusOr<json::object> DecodePatched(const kube::ResourceType& type, json::object object) {
  Decoded decoded = Decode(type, object);
  if (decoded.problem.empty()) return std::move(decoded.object);
  return kube::ToStatus(kube::Invalid(
      {}, "",
      {{"FieldValueInvalid",
        StrCat("Invalid value: ", kube::Quote(Serialize(object)), ": ", decoded.problem),
        "patch"}}));
}

kube::GroupVersionKind GvkOf(const json::object& object) {
  kube::GroupVersionKind gvk;
  SplitApiVersion(View(object.at("apiVersion").get_string()), gvk);
  gvk.kind = View(object.at("kind").get_string());
  return gvk;
}

std::vector<kube::StatusCause> TypeCauses(const kube::ResourceType& type,
                                          const json::object& object) {
  const kube::GroupVersionKind gvk = GvkOf(object);
  std::vector<kube::StatusCause> causes;
  if (gvk.kind != type.gvk.kind)
    causes.push_back(InvalidTypeMember("kind", gvk.kind, type.gvk.kind));
  if (gvk.ApiVersion() != type.gvk.ApiVersion()) {
    causes.push_back(InvalidTypeMember("apiVersion", gvk.ApiVersion(), type.gvk.ApiVersion()));
  }
  return causes;
}

}  // namespace steward::storage
