#include "apiserver/filters/request/request_info.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "apiserver/filters/request/status_response.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"

namespace steward::filters {
namespace {

using Parts = std::span<const std::string_view>;

// Outer slashes are ignored; inner empty segments are kept.
std::vector<std::string_view> SplitPath(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string_view> parts;
  if (path.empty()) return parts;
  parts.reserve(static_cast<size_t>(std::count(path.begin(), path.end(), '/')) + 1);
  for (;;) {
    const size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view VerbOfMethod(std::string_view method) {
  static constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"GET", "get"},    {"HEAD", "get"},    {"POST", "create"},
      {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"},
  };
  for (const auto& [name, verb] : kVerbs) {
    if (name == method) return verb;
  }
  return "";
}

// /namespaces/{ns}/{resource}/...: the namespace is the resource's, unless a subresource of the
// namespace itself follows.
Parts TakeNamespace(Parts parts, http::RequestInfo& info) {
  if (parts[0] != "namespaces" || parts.size() < 2) return parts;
  info.ns = parts[1];
  const bool own_subresource = parts.size() > 2 && (parts[2] == "status" || parts[2] == "finalize");
  return parts.size() > 2 && !own_subresource ? parts.subspan(2) : parts;
}

// The verb of a read of a collection, list or watch, and the one name that it may be restricted to.
void ReadCollectionVerb(const http::Request& request, http::RequestInfo& info) {
  info.verb = QueryFlag(request, "watch") ? "watch" : "list";
  const std::string* text = request.Query("fieldSelector");
  if (text == nullptr) return;
  const auto selector = kube::FieldSelector::Parse(*text);
  if (!selector.ok()) return;
  const std::string* name = selector->RequiredValue("metadata.name");
  if (name != nullptr && kube::IsPathSegmentName(*name)) info.name = *name;
}

void ReadResourcePath(const http::Request& request, Parts parts, http::RequestInfo& info) {
  parts = TakeNamespace(parts, info);
  info.resource = parts[0];
  if (parts.size() >= 2) info.name = parts[1];
  if (parts.size() >= 3 && info.verb != "proxy") info.subresource = parts[2];
  if (!info.name.empty()) return;
  if (info.verb == "get") {
    ReadCollectionVerb(request, info);
  } else if (info.verb == "delete") {
    info.verb = "deletecollection";
  }
}

VoidTask Serve(const http::Handler& next, http::Request& request, http::ResponseWriter& writer) {
  auto info = ReadRequestInfo(request);
  if (!info.ok()) {
    return RespondStatus(request, writer, kube::InternalError(ToStd(info.status().message())));
  }
  request.info = *std::move(info);
  return next(request, writer);
}

}  // namespace

absl::StatusOr<http::RequestInfo> ReadRequestInfo(const http::Request& request) {
  http::RequestInfo info;
  info.verb = LowerCase(request.method);
  const std::vector<std::string_view> all = SplitPath(request.path);
  Parts parts(all);
  if (parts.size() < 3) return info;
  if (parts[0] == "api") {
    parts = parts.subspan(1);
  } else if (parts[0] == "apis" && parts.size() >= 4) {
    info.group = parts[1];
    parts = parts.subspan(2);
  } else {
    return info;
  }

  info.is_resource = true;
  info.version = parts[0];
  parts = parts.subspan(1);
  if (parts[0] == "watch" || parts[0] == "proxy") {
    if (parts.size() < 2) {
      return absl::InvalidArgumentError(
          StrCat("unable to determine kind and namespace from url, ", request.target));
    }
    info.verb = parts[0];
    parts = parts.subspan(1);
  } else {
    info.verb = VerbOfMethod(request.method);
  }
  ReadResourcePath(request, parts, info);
  return info;
}

bool IsLongRunning(const http::RequestInfo& info) {
  return info.is_resource && info.verb == "watch";
}

bool QueryFlag(const http::Request& request, std::string_view key) {
  const std::string* value = request.Query(key);
  return value != nullptr && *value != "0" && !absl::EqualsIgnoreCase(*value, "false");
}

http::Handler WithRequestInfo(http::Handler next) {
  return [next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    return Serve(next, request, writer);
  };
}

}  // namespace steward::filters
