#include "apiserver/rest/parameters.h"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

absl::Status BadRequest(std::string_view message) {
  return kube::ToStatus(kube::BadRequest(message));
}

std::string StringParameter(const http::Request& request, std::string_view key) {
  const std::string* value = request.Query(key);
  return value == nullptr ? "" : *value;
}

// Present, and neither "0" nor "false"; even an empty value is true.
std::optional<bool> BoolParameter(const http::Request& request, std::string_view key) {
  const std::string* value = request.Query(key);
  if (value == nullptr) return std::nullopt;
  return *value != "0" && !absl::EqualsIgnoreCase(*value, "false");
}

// strconv.ParseInt(s, 10, 64) and its errors.
absl::StatusOr<int64_t> ParseInt64(std::string_view s) {
  std::string_view digits = s;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end == digits.data() + digits.size() && error == std::errc()) return value;
  const bool too_large =
      end == digits.data() + digits.size() && error == std::errc::result_out_of_range;
  return BadRequest(StrCat("strconv.ParseInt: parsing ", kube::Quote(s), ": ",
                           too_large ? "value out of range" : "invalid syntax"));
}

absl::StatusOr<std::optional<int64_t>> IntParameter(const http::Request& request,
                                                    std::string_view key) {
  const std::string* value = request.Query(key);
  if (value == nullptr) return std::nullopt;
  return ParseInt64(*value);
}

// The combinations that ListOptions allows: collects what is wrong with them.
class OptionChecker {
 public:
  void Forbid(std::string_view field, std::string_view why) {
    causes_.push_back({"FieldValueForbidden", StrCat("Forbidden: ", why), std::string(field)});
  }
  void Unsupported(std::string_view field, std::string_view value,
                   const std::vector<std::string_view>& supported) {
    std::vector<std::string> quoted;
    for (std::string_view s : supported) quoted.push_back(kube::Quote(s));
    causes_.push_back({"FieldValueNotSupported",
                       StrCat("Unsupported value: ", kube::Quote(value),
                              ": supported values: ", absl::StrJoin(quoted, ", ")),
                       std::string(field)});
  }
  absl::Status Result() && {
    if (causes_.empty()) return absl::OkStatus();
    return kube::ToStatus(kube::Invalid({"meta.k8s.io", "", "ListOptions"}, "", causes_));
  }

 private:
  std::vector<kube::StatusCause> causes_;
};

struct RawOptions {
  std::string match;
  std::string version;
  std::string continue_token;
  std::optional<bool> send_initial_events;
};

constexpr std::string_view kMatch = "resourceVersionMatch";
constexpr std::string_view kInitialEvents = "sendInitialEvents";

absl::Status CheckListOptions(const RawOptions& options) {
  OptionChecker checker;
  if (!options.match.empty()) {
    if (options.version.empty()) {
      checker.Forbid(kMatch,
                     "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      checker.Forbid(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (options.match != "Exact" && options.match != "NotOlderThan") {
      checker.Unsupported(kMatch, options.match, {"Exact", "NotOlderThan", ""});
    }
    if (options.match == "Exact" && options.version == "0") {
      checker.Forbid(kMatch,
                     "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (options.send_initial_events) {
    checker.Forbid(kInitialEvents, "sendInitialEvents is forbidden for list");
  }
  return std::move(checker).Result();
}

absl::Status CheckWatchOptions(const RawOptions& options) {
  OptionChecker checker;
  if (options.send_initial_events && options.match != "NotOlderThan") {
    checker.Forbid(kMatch,
                   "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (!options.match.empty()) {
    if (!options.send_initial_events) {
      checker.Forbid(
          kMatch,
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (options.match != "NotOlderThan") {
      checker.Unsupported(kMatch, options.match, {"NotOlderThan"});
    }
    if (!options.continue_token.empty()) {
      checker.Forbid(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
  }
  return std::move(checker).Result();
}

RawOptions ReadOptionsOf(const http::Request& request, bool watch) {
  RawOptions options{StringParameter(request, kMatch), StringParameter(request, "resourceVersion"),
                     StringParameter(request, "continue"), BoolParameter(request, kInitialEvents)};
  // A watch from nowhere in particular always began with the present state.
  const bool anywhere = options.version.empty() || options.version == "0";
  if (watch && anywhere && options.match.empty() && !options.send_initial_events) {
    options.match = "NotOlderThan";
    options.send_initial_events = true;
  }
  return options;
}

absl::Status CheckFieldPaths(const kube::FieldSelector& fields, const Resource& resource) {
  for (const kube::FieldSelector::Term& term : fields.terms()) {
    bool known = false;
    for (const std::string& path : resource.field_paths) known = known || path == term.path;
    if (known) continue;
    std::vector<std::string> quoted;
    for (const std::string& path : resource.field_paths) quoted.push_back(kube::Quote(path));
    return BadRequest(StrCat(kube::Quote(term.path), " is not a known field selector: only ",
                             absl::StrJoin(quoted, ", ")));
  }
  return absl::OkStatus();
}

absl::StatusOr<Selection> ParseSelection(const http::Request& request) {
  Selection selection;
  selection.ns = request.info.ns;
  auto labels = kube::LabelSelector::Parse(StringParameter(request, "labelSelector"));
  if (!labels.ok()) return BadRequest(ToStd(labels.status().message()));
  auto fields = kube::FieldSelector::Parse(StringParameter(request, "fieldSelector"));
  if (!fields.ok()) return BadRequest(ToStd(fields.status().message()));
  selection.labels = *std::move(labels);
  selection.fields = *std::move(fields);
  return selection;
}

absl::Status CheckVersion(std::string_view version) {
  const absl::Status status = kube::CheckResourceVersionParameter(version);
  return status.ok() ? status : BadRequest(ToStd(status.message()));
}

}  // namespace

absl::StatusOr<ListParameters> ParseListParameters(const http::Request& request,
                                                   const Resource& resource) {
  // In Kubernetes' order, since the first error is the one that is answered.
  ListParameters parameters;
  parameters.watch = BoolParameter(request, "watch").value_or(false);
  parameters.allow_bookmarks = BoolParameter(request, "allowWatchBookmarks").value_or(false);
  ASSIGN_OR_RETURN(parameters.timeout_seconds, IntParameter(request, "timeoutSeconds"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> limit, IntParameter(request, "limit"));
  ASSIGN_OR_RETURN(parameters.selection, ParseSelection(request));

  RawOptions options = ReadOptionsOf(request, parameters.watch);
  RETURN_IF_ERROR(parameters.watch ? CheckWatchOptions(options) : CheckListOptions(options));
  RETURN_IF_ERROR(CheckFieldPaths(parameters.selection.fields, resource));
  if (!options.continue_token.empty()) {
    return BadRequest("invalid continue token: continue key is not valid");
  }
  RETURN_IF_ERROR(CheckVersion(options.version));

  const bool some_version = !options.version.empty() && options.version != "0";
  if (!parameters.watch && limit.value_or(0) > 0 && some_version && options.match.empty()) {
    options.match = "Exact";
  }
  parameters.send_initial_events = options.send_initial_events.value_or(false);
  parameters.read = {std::move(options.version), std::move(options.match)};
  return parameters;
}

absl::StatusOr<ReadOptions> ParseGetParameters(const http::Request& request) {
  if (BoolParameter(request, "export").value_or(false)) {
    return BadRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  ReadOptions options;
  options.resource_version = StringParameter(request, "resourceVersion");
  RETURN_IF_ERROR(CheckVersion(options.resource_version));
  return options;
}

absl::StatusOr<IncludeObject> ParseIncludeObject(const http::Request& request) {
  const std::string value = StringParameter(request, "includeObject");
  if (value.empty() || value == "Metadata") return IncludeObject::kMetadata;
  if (value == "None") return IncludeObject::kNone;
  if (value == "Object") return IncludeObject::kObject;
  return BadRequest(StrCat(
      "Unable to convert to Table as requested: includeObject: Invalid value: ", kube::Quote(value),
      ": must be 'Metadata', 'Object', 'None', or empty"));
}

}  // namespace steward::rest
