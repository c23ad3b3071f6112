#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/writes/delete_options.h"
#include "apiserver/rest/writes/request_body.h"
#include "apiserver/rest/writes/write_parameters.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace {

namespace rest = steward::rest;
namespace kube = steward::kube;

void CheckError(const absl::Status& status) {
  if (status.ok()) return;
  const int code = kube::FromStatus(status).code;
  if (code != 400 && code != 413 && code != 415 && code != 422) std::abort();
}

void CheckBody(const absl::StatusOr<rest::Body>& body) {
  CheckError(body.status());
  if (!body.ok()) return;
  if (!body->value.is_object() && !body->value.is_array()) std::abort();
  for (const std::string& warning : body->warnings) {
    for (const char c : warning) {
      if (c < ' ' || c > '~') std::abort();
    }
  }
}

}  // namespace

// The first line is Content-Type, the second the value of every query parameter, the rest the body.
// Every input gives values or an error for the client.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto line = [&rest] {
    const size_t end = rest.find('\n');
    const std::string_view taken = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return std::string(taken);
  };
  steward::http::Request request;
  request.headers.Add("Content-Type", line());
  const std::string parameter = line();
  for (const char* key : {"dryRun", "fieldManager", "fieldValidation", "propagationPolicy",
                          "orphanDependents", "gracePeriodSeconds"}) {
    if (!parameter.empty()) request.query.emplace_back(key, parameter);
  }
  request.body = std::string(rest);

  CheckError(rest::ParseDeleteOptions(request).status());
  CheckError(rest::ParseCreateParameters(request).status());
  const kube::GroupVersionKind kind{"example.com", "v1", "Widget"};
  const auto format = rest::BodyFormatOf(request, true);
  CheckError(format.status());
  const auto type = rest::ParsePatchType(
      request, {"application/json-patch+json", "application/merge-patch+json",
                "application/strategic-merge-patch+json", "application/apply-patch+yaml"});
  CheckError(type.status());
  for (const auto validation : {rest::FieldValidation::kWarn, rest::FieldValidation::kStrict}) {
    if (format.ok()) CheckBody(rest::ParseObjectBody(request, *format, kind, validation));
    if (type.ok()) CheckBody(rest::ParsePatchBody(request, *type, validation));
  }
  return 0;
}
