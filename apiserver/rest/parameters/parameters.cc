#include "apiserver/rest/parameters/parameters.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "apiserver/rest/parameters/option_checker.h"
#include "apiserver/rest/parameters/query.h"
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

struct RawOptions {
  std::string match;
  std::string version;
  std::string continue_token;
  std::optional<bool> send_initial_events;
};

constexpr std::string_view kMatch = "resourceVersionMatch";
constexpr std::string_view kInitialEvents = "sendInitialEvents";

absl::Status CheckListOptions(const RawOptions& options) {
  OptionChecker checker("ListOptions");
  if (!options.match.empty()) {
    if (options.version.empty()) {
      checker.Forbid(kMatch,
                     "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      checker.Forbid(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (options.match != "Exact" && options.match != "NotOlderThan") {
      checker.Unsupported(kMatch, kube::Quote(options.match), {"Exact", "NotOlderThan", ""});
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
  OptionChecker checker("ListOptions");
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
      checker.Unsupported(kMatch, kube::Quote(options.match), {"NotOlderThan"});
    }
    if (!options.continue_token.empty()) {
      checker.Forbid(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
  }
  return std::move(checker).Result();
}

// A watch without a version has always begun with the current state.
void BeginWithCurrentState(RawOptions& options) {
  const bool anywhere = options.version.empty() || options.version == "0";
  if (anywhere && options.match.empty() && !options.send_initial_events) {
    options.match = "NotOlderThan";
    options.send_initial_events = true;
  }
}

RawOptions ReadOptionsOf(const http::Request& request, bool watch) {
  RawOptions options{QueryString(request, kMatch), QueryString(request, "resourceVersion"),
                     QueryString(request, "continue"), QueryBool(request, kInitialEvents)};
  if (watch) BeginWithCurrentState(options);
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
  auto labels = kube::LabelSelector::Parse(QueryString(request, "labelSelector"));
  if (!labels.ok()) return BadRequest(ToStd(labels.status().message()));
  auto fields = kube::FieldSelector::Parse(QueryString(request, "fieldSelector"));
  if (!fields.ok()) return BadRequest(ToStd(fields.status().message()));
  selection.labels = *std::move(labels);
  selection.fields = *std::move(fields);
  return selection;
}

absl::StatusOr<std::string> ParseVersion(std::string_view text) {
  absl::StatusOr<std::string> version = kube::ParseResourceVersionParameter(text);
  if (!version.ok()) return BadRequest(ToStd(version.status().message()));
  return version;
}

void SetPage(int64_t limit, RawOptions& options, ReadOptions& read) {
  if (options.continue_token.empty()) {
    // When any state is acceptable, the answer is whole, as from a watch cache.
    read.limit = options.version == "0" ? 0 : limit;
    return;
  }
  // The token determines the state of the pages.
  options.version.clear();
  options.match.clear();
  read.limit = limit;
  read.continue_token = std::move(options.continue_token);
}

}  // namespace

absl::StatusOr<ListParameters> ParseListParameters(const http::Request& request,
                                                   const Resource& resource) {
  // In Kubernetes' order, since the first error is answered.
  ListParameters parameters;
  parameters.watch = QueryBool(request, "watch").value_or(false);
  parameters.allow_bookmarks = QueryBool(request, "allowWatchBookmarks").value_or(false);
  ASSIGN_OR_RETURN(parameters.timeout_seconds, QueryInt64(request, "timeoutSeconds"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> limit, QueryInt64(request, "limit"));
  ASSIGN_OR_RETURN(parameters.selection, ParseSelection(request));

  RawOptions options = ReadOptionsOf(request, parameters.watch);
  RETURN_IF_ERROR(parameters.watch ? CheckWatchOptions(options) : CheckListOptions(options));
  RETURN_IF_ERROR(CheckFieldPaths(parameters.selection.fields, resource));
  const bool pages = resource.pages && !parameters.watch;
  // A watch is not read in pages, so a token is ignored.
  if (!parameters.watch && !options.continue_token.empty()) {
    if (!pages) return BadRequest("invalid continue token: continue key is not valid");
    if (!options.version.empty() && options.version != "0") {
      return BadRequest("specifying resource version is not allowed when using continue");
    }
  }
  ASSIGN_OR_RETURN(options.version, ParseVersion(options.version));
  // Parsing turns other forms of 0 ("00") into "0". The checks above, like Kubernetes', run before
  // that and know only "0".
  if (parameters.watch) BeginWithCurrentState(options);
  const bool some_version = !options.version.empty() && options.version != "0";

  const bool limited = limit.value_or(0) > 0;
  if (!parameters.watch && limited && some_version && options.match.empty()) {
    options.match = "Exact";
  }
  parameters.send_initial_events = options.send_initial_events.value_or(false);
  if (some_version || !options.continue_token.empty()) parameters.read.asker = request.user.name;
  if (pages) SetPage(limited ? *limit : 0, options, parameters.read);
  parameters.read.resource_version = std::move(options.version);
  parameters.read.resource_version_match = std::move(options.match);
  return parameters;
}

absl::StatusOr<PageParameters> ParsePageParameters(const http::Request& request) {
  PageParameters parameters;
  ASSIGN_OR_RETURN(const std::optional<int64_t> limit, QueryInt64(request, "limit"));
  // A limit that is not positive has no effect, as in lists.
  parameters.limit = std::max<int64_t>(limit.value_or(0), 0);
  parameters.continue_token = QueryString(request, "continue");
  return parameters;
}

absl::StatusOr<ReadOptions> ParseGetParameters(const http::Request& request) {
  if (QueryBool(request, "export").value_or(false)) {
    return BadRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  ReadOptions options;
  ASSIGN_OR_RETURN(options.resource_version, ParseVersion(QueryString(request, "resourceVersion")));
  if (!options.resource_version.empty()) options.asker = request.user.name;
  return options;
}

absl::StatusOr<IncludeObject> ParseIncludeObject(const http::Request& request) {
  const std::string value = QueryString(request, "includeObject");
  if (value.empty() || value == "Metadata") return IncludeObject::kMetadata;
  if (value == "None") return IncludeObject::kNone;
  if (value == "Object") return IncludeObject::kObject;
  return BadRequest(StrCat(
      "Unable to convert to Table as requested: includeObject: Invalid value: ", kube::Quote(value),
      ": must be 'Metadata', 'Object', 'None', or empty"));
}

}  // namespace steward::rest
