#include "apiserver/rest/writes/request_body.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"
#include "kube/protobuf/decoder.h"

namespace steward::rest {
namespace {

// Content-Type without its parameters; "" when absent.
std::string MediaType(const http::Request& request) {
  const std::string* header = request.headers.Find("Content-Type");
  if (header == nullptr) return "";
  const std::string_view type = std::string_view(*header).substr(0, header->find(';'));
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(ToAbsl(type)));
}

absl::Status BadRequest(std::string_view message) {
  return kube::ToStatus(kube::BadRequest(message));
}

absl::Status UnsupportedMediaType(bool protobuf) {
  std::vector<std::string> taken = {"application/json", "application/yaml"};
  if (protobuf) taken.emplace_back(kube::kProtobufMediaType);
  return kube::ToStatus(kube::UnsupportedMediaType(taken));
}

struct Decoded {
  boost::json::value value;
  // A problem that only strict parsing refuses: `duplicate field "x"`; "" = none.
  std::string dubious;
};

absl::StatusOr<Decoded> DecodeYaml(const std::string& text) {
  absl::StatusOr<boost::json::value> value = ParseYaml(text);
  if (value.ok()) return Decoded{*std::move(value), ""};
  return absl::Status(value.status().code(), StrCat("error converting YAML to JSON: yaml: ",
                                                    ToStd(value.status().message())));
}

// Converts `duplicate key "x"` at the end of the parser's message to Kubernetes' wording.
std::string DuplicateField(std::string_view message) {
  constexpr std::string_view kMark = "duplicate key \"";
  const size_t mark = message.find(kMark);
  if (mark == std::string_view::npos || !message.ends_with('"')) return "duplicate field";
  std::string_view key = message.substr(mark + kMark.size());
  key.remove_suffix(1);
  return StrCat("duplicate field \"", absl::CEscape(ToAbsl(key)), "\"");
}

absl::StatusOr<Decoded> DecodeJson(const std::string& text) {
  JsonLimits strict;
  strict.refuse_duplicate_keys = true;
  absl::StatusOr<boost::json::value> value = ParseJson(text, strict);
  if (value.ok()) return Decoded{*std::move(value), ""};
  absl::StatusOr<boost::json::value> lenient = ParseJson(text);
  if (!lenient.ok()) return lenient.status();
  return Decoded{*std::move(lenient), DuplicateField(ToStd(value.status().message()))};
}

absl::StatusOr<Decoded> DecodeText(const std::string& text, BodyFormat format) {
  return format == BodyFormat::kYaml ? DecodeYaml(text) : DecodeJson(text);
}

absl::StatusOr<Decoded> DecodeObject(const std::string& body, BodyFormat format,
                                     const kube::GroupVersionKind& gvk) {
  if (format != BodyFormat::kProtobuf) return DecodeText(body, format);
  ASSIGN_OR_RETURN(boost::json::object object, kube::DecodeProtobuf(body, gvk));
  return Decoded{std::move(object), ""};
}

// Converts the decoder's `error`; `explain` returns the wording for a 400.
template <typename Explain>
absl::Status Undecodable(const absl::Status& error, Explain explain) {
  if (error.code() == absl::StatusCode::kResourceExhausted) {
    return kube::ToStatus(kube::RequestEntityTooLarge(JsonLimits().max_size));
  }
  if (error.code() == absl::StatusCode::kUnimplemented) return UnsupportedMediaType(false);
  return BadRequest(explain(ToStd(error.message())));
}

// The first bytes of a body that cannot be decoded.
std::string Summary(std::string_view body) {
  constexpr size_t kShown = 30;
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kShown);
  const std::string text =
      body[0] == '{' ? std::string(shown) : absl::BytesToHexString(ToAbsl(shown));
  return body.size() > kShown ? text + " ..." : text;
}

std::string_view KindOf(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::bool_:
      return "bool";
    case boost::json::kind::null:
      return "null";
    default:
      return "number";
  }
}

absl::StatusOr<Body> ToBody(Decoded decoded, FieldValidation validation, std::string_view refusal) {
  Body body;
  body.value = std::move(decoded.value);
  if (decoded.dubious.empty() || validation == FieldValidation::kIgnore) return body;
  if (validation == FieldValidation::kStrict) {
    return BadRequest(StrCat(refusal, "strict decoding error: ", decoded.dubious));
  }
  body.warnings.push_back(std::move(decoded.dubious));
  return body;
}

constexpr std::pair<std::string_view, kube::PatchType> kPatchTypes[] = {
    {"application/json-patch+json", kube::PatchType::kJson},
    {"application/merge-patch+json", kube::PatchType::kJsonMerge},
    {"application/strategic-merge-patch+json", kube::PatchType::kStrategicMerge},
    {"application/apply-patch+yaml", kube::PatchType::kApply},
};

}  // namespace

absl::StatusOr<BodyFormat> BodyFormatOf(const http::Request& request, bool protobuf) {
  const std::string type = MediaType(request);
  if (type.empty() || type == "application/json") return BodyFormat::kJson;
  if (type == "application/yaml") return BodyFormat::kYaml;
  if (protobuf && type == kube::kProtobufMediaType) return BodyFormat::kProtobuf;
  return UnsupportedMediaType(protobuf);
}

absl::StatusOr<Body> ParseObjectBody(const http::Request& request, BodyFormat format,
                                     const kube::GroupVersionKind& gvk,
                                     FieldValidation validation) {
  constexpr std::string_view kNoKind = "couldn't get version/kind; json parse error: ";
  const auto unrecognized = [&](std::string_view prefix, std::string_view why) {
    return StrCat("the object provided is unrecognized (must be of type ", gvk.kind, "): ", prefix,
                  why, " (", Summary(request.body), ")");
  };
  absl::StatusOr<Decoded> decoded = DecodeObject(request.body, format, gvk);
  if (!decoded.ok()) {
    return Undecodable(decoded.status(), [&](std::string_view why) {
      return unrecognized(format == BodyFormat::kJson ? kNoKind : "", why);
    });
  }
  if (!decoded->value.is_object()) {
    const std::string why = StrCat("cannot unmarshal ", KindOf(decoded->value), " into an object");
    return BadRequest(unrecognized(kNoKind, why));
  }
  return ToBody(*std::move(decoded), validation,
                StrCat(gvk.kind, " in version ", kube::Quote(gvk.version),
                       " cannot be handled as a ", gvk.kind, ": "));
}

absl::StatusOr<kube::PatchType> ParsePatchType(const http::Request& request,
                                               const std::vector<std::string>& accepted) {
  const std::string media_type = MediaType(request);
  if (std::find(accepted.begin(), accepted.end(), media_type) != accepted.end()) {
    for (const auto& [name, type] : kPatchTypes) {
      if (name == media_type) return type;
    }
  }
  return kube::ToStatus(kube::UnsupportedMediaType(accepted));
}

absl::StatusOr<Body> ParsePatchBody(const http::Request& request, kube::PatchType type,
                                    FieldValidation validation) {
  const bool yaml = type == kube::PatchType::kApply;
  const std::string_view where = yaml ? "error decoding YAML: " : "error decoding patch: ";
  absl::StatusOr<Decoded> decoded =
      DecodeText(request.body, yaml ? BodyFormat::kYaml : BodyFormat::kJson);
  if (!decoded.ok()) {
    return Undecodable(decoded.status(), [&](std::string_view why) { return StrCat(where, why); });
  }
  const std::string_view wanted = type == kube::PatchType::kJson ? "array" : "object";
  const std::string_view found = KindOf(decoded->value);
  if (found != wanted) {
    return BadRequest(StrCat(where, "cannot unmarshal ", found, " into an ", wanted));
  }
  return ToBody(*std::move(decoded), validation, where);
}

}  // namespace steward::rest
