#include "apiserver/rest/writes/delete_options.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/rest/parameters/option_checker.h"
#include "apiserver/rest/parameters/query.h"
#include "apiserver/rest/writes/request_body.h"
#include "apiserver/rest/writes/write_parameters.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

namespace json = boost::json;

struct RawOptions {
  std::optional<std::string> propagation_policy;
  std::optional<bool> orphan_dependents;
  std::vector<std::string> dry_run;
  std::string uid;
  std::string resource_version;
};

absl::Status BadRequest(std::string_view message) {
  return kube::ToStatus(kube::BadRequest(message));
}

absl::Status WrongType(std::string_view field, std::string_view type) {
  return BadRequest(
      StrCat("json: cannot unmarshal value into Go struct field ", field, " of type ", type));
}

// Null when the member is absent or JSON null.
const json::value* Find(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  return value == nullptr || value->is_null() ? nullptr : value;
}

absl::StatusOr<std::optional<std::string>> ReadString(const json::object& object,
                                                      std::string_view path, std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) return WrongType(StrCat(path, ".", key), "string");
  return std::string(value->get_string());
}

absl::Status ReadPreconditions(const json::object& object, RawOptions& options) {
  const json::value* value = Find(object, "preconditions");
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_object()) return WrongType("DeleteOptions.preconditions", "v1.Preconditions");
  constexpr std::string_view kPath = "Preconditions";
  ASSIGN_OR_RETURN(auto uid, ReadString(value->get_object(), kPath, "uid"));
  ASSIGN_OR_RETURN(auto version, ReadString(value->get_object(), kPath, "resourceVersion"));
  options.uid = std::move(uid).value_or("");
  options.resource_version = std::move(version).value_or("");
  return absl::OkStatus();
}

absl::Status ReadDryRun(const json::object& object, RawOptions& options) {
  const json::value* value = Find(object, "dryRun");
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_array()) return WrongType("DeleteOptions.dryRun", "[]string");
  for (const json::value& element : value->get_array()) {
    if (!element.is_string()) return WrongType("DeleteOptions.dryRun", "string");
    options.dry_run.emplace_back(element.get_string());
  }
  return absl::OkStatus();
}

absl::StatusOr<RawOptions> ReadBody(const http::Request& request) {
  ASSIGN_OR_RETURN(const BodyFormat format, BodyFormatOf(request, /*protobuf=*/true));
  ASSIGN_OR_RETURN(const Body body, ParseObjectBody(request, format, {"", "v1", "DeleteOptions"},
                                                    FieldValidation::kIgnore));
  const json::object& object = body.value.get_object();
  constexpr std::string_view kPath = "DeleteOptions";
  ASSIGN_OR_RETURN(const auto kind, ReadString(object, kPath, "kind"));
  RETURN_IF_ERROR(ReadString(object, kPath, "apiVersion").status());
  if (!kind.value_or("").empty() && *kind != "DeleteOptions") {
    return BadRequest("decoded object cannot be converted to DeleteOptions");
  }

  RawOptions options;
  ASSIGN_OR_RETURN(options.propagation_policy, ReadString(object, kPath, "propagationPolicy"));
  if (const json::value* orphan = Find(object, "orphanDependents")) {
    if (!orphan->is_bool()) return WrongType("DeleteOptions.orphanDependents", "bool");
    options.orphan_dependents = orphan->get_bool();
  }
  const json::value* grace = Find(object, "gracePeriodSeconds");
  if (grace != nullptr && !grace->is_int64()) {
    return WrongType("DeleteOptions.gracePeriodSeconds", "int64");
  }
  RETURN_IF_ERROR(ReadDryRun(object, options));
  RETURN_IF_ERROR(ReadPreconditions(object, options));
  return options;
}

absl::StatusOr<RawOptions> ReadQuery(const http::Request& request) {
  RawOptions options;
  RETURN_IF_ERROR(QueryInt64(request, "gracePeriodSeconds").status());
  options.orphan_dependents = QueryBool(request, "orphanDependents");
  if (const std::string* policy = request.Query("propagationPolicy")) {
    options.propagation_policy = *policy;
  }
  options.dry_run = QueryStrings(request, "dryRun");
  return options;
}

std::optional<kube::DeleteOptions::Propagation> PropagationOf(std::string_view policy) {
  using Propagation = kube::DeleteOptions::Propagation;
  if (policy == "Foreground") return Propagation::kForeground;
  if (policy == "Background") return Propagation::kBackground;
  if (policy == "Orphan") return Propagation::kOrphan;
  return std::nullopt;
}

absl::StatusOr<kube::DeleteOptions> Check(RawOptions raw) {
  constexpr std::string_view kPolicy = "propagationPolicy";
  kube::DeleteOptions options;
  OptionChecker checker("DeleteOptions");
  if (raw.propagation_policy) {
    const std::string quoted = kube::Quote(*raw.propagation_policy);
    if (raw.orphan_dependents) {
      checker.Invalid(kPolicy, quoted,
                      "orphanDependents and deletionPropagation cannot be both set");
    }
    const auto propagation = PropagationOf(*raw.propagation_policy);
    if (!propagation) {
      checker.Unsupported(kPolicy, quoted, {"Foreground", "Background", "Orphan", "nil"});
    }
    options.propagation = propagation.value_or(options.propagation);
  } else if (raw.orphan_dependents) {
    options.propagation = *raw.orphan_dependents ? kube::DeleteOptions::Propagation::kOrphan
                                                 : kube::DeleteOptions::Propagation::kBackground;
  }
  CheckDryRun(raw.dry_run, checker);
  RETURN_IF_ERROR(std::move(checker).Result());
  options.dry_run = !raw.dry_run.empty();
  options.uid = std::move(raw.uid);
  options.resource_version = std::move(raw.resource_version);
  return options;
}

}  // namespace

absl::StatusOr<kube::DeleteOptions> ParseDeleteOptions(const http::Request& request) {
  absl::StatusOr<RawOptions> raw = request.body.empty() ? ReadQuery(request) : ReadBody(request);
  if (!raw.ok()) return raw.status();
  return Check(*std::move(raw));
}

}  // namespace steward::rest
