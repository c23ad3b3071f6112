#include "kube/client/request_target.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

absl::Status CheckSegment(std::string_view what, std::string_view value) {
  if (IsPathSegmentName(value) && !value.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("not a ", what, " name: \"", value, "\""));
}

// Appends `?k=v` or `&k=v`; skips empty values.
class QueryWriter {
 public:
  explicit QueryWriter(std::string& target) : target_(target) {}
  void Add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    StrAppend(&target_, first_ ? "?" : "&", key, "=", PercentEncode(value));
    first_ = false;
  }

 private:
  std::string& target_;
  bool first_ = true;
};

void AddWriteQuery(const WriteOptions& options, std::string& target) {
  QueryWriter query(target);
  if (options.dry_run) query.Add("dryRun", "All");
  query.Add("fieldManager", options.field_manager);
  if (options.force) query.Add("force", "true");
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size() + 16);
  for (const unsigned char c : text) {
    if (absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out.push_back(static_cast<char>(c));
    } else {
      out.push_back('%');
      out.push_back(kHex[c >> 4]);
      out.push_back(kHex[c & 15]);
    }
  }
  return out;
}

absl::StatusOr<std::string> DiscoveryTarget(const GroupVersion& gv) {
  RETURN_IF_ERROR(CheckSegment("version", gv.version));
  if (gv.group.empty()) return StrCat("/api/", PercentEncode(gv.version));
  RETURN_IF_ERROR(CheckSegment("group", gv.group));
  return StrCat("/apis/", PercentEncode(gv.group), "/", PercentEncode(gv.version));
}

absl::StatusOr<std::string> CollectionTarget(const GroupVersionResource& gvr, std::string_view ns) {
  RETURN_IF_ERROR(CheckSegment("resource", gvr.resource));
  ASSIGN_OR_RETURN(std::string target, DiscoveryTarget({gvr.group, gvr.version}));
  if (!ns.empty()) {
    RETURN_IF_ERROR(CheckSegment("namespace", ns));
    StrAppend(&target, "/namespaces/", PercentEncode(ns));
  }
  StrAppend(&target, "/", PercentEncode(gvr.resource));
  return target;
}

absl::StatusOr<std::string> ObjectTarget(const GroupVersionResource& gvr,
                                         const NamespacedName& name) {
  RETURN_IF_ERROR(CheckSegment("object", name.name));
  ASSIGN_OR_RETURN(std::string target, CollectionTarget(gvr, name.ns));
  StrAppend(&target, "/", PercentEncode(name.name));
  return target;
}

absl::StatusOr<std::string> CreateTarget(const GroupVersionResource& gvr, std::string_view ns,
                                         const WriteOptions& options) {
  if (!options.subresource.empty()) {
    return absl::InvalidArgumentError("a collection has no subresource");
  }
  ASSIGN_OR_RETURN(std::string target, CollectionTarget(gvr, ns));
  AddWriteQuery(options, target);
  return target;
}

absl::StatusOr<std::string> WriteTarget(const GroupVersionResource& gvr, const NamespacedName& name,
                                        const WriteOptions& options) {
  ASSIGN_OR_RETURN(std::string target, ObjectTarget(gvr, name));
  if (!options.subresource.empty()) {
    RETURN_IF_ERROR(CheckSegment("subresource", options.subresource));
    StrAppend(&target, "/", PercentEncode(options.subresource));
  }
  AddWriteQuery(options, target);
  return target;
}

absl::StatusOr<std::string> ListTarget(const GroupVersionResource& gvr,
                                       const ListOptions& options) {
  ASSIGN_OR_RETURN(std::string target, CollectionTarget(gvr, options.ns));
  QueryWriter query(target);
  query.Add("labelSelector", options.label_selector);
  query.Add("fieldSelector", options.field_selector);
  if (options.limit > 0) query.Add("limit", StrCat(options.limit));
  query.Add("continue", options.continue_token);
  query.Add("resourceVersion", options.resource_version);
  query.Add("resourceVersionMatch", options.resource_version_match);
  return target;
}

absl::StatusOr<std::string> WatchTarget(const GroupVersionResource& gvr,
                                        const WatchOptions& options) {
  ASSIGN_OR_RETURN(std::string target, CollectionTarget(gvr, options.ns));
  QueryWriter query(target);
  query.Add("watch", "true");
  query.Add("allowWatchBookmarks", "true");
  query.Add("labelSelector", options.label_selector);
  query.Add("fieldSelector", options.field_selector);
  query.Add("resourceVersion", options.resource_version);
  if (options.send_initial_events) {
    query.Add("sendInitialEvents", "true");
    query.Add("resourceVersionMatch", "NotOlderThan");
  }
  const int64_t seconds = std::max<int64_t>(1, absl::ToInt64Seconds(options.timeout));
  query.Add("timeoutSeconds", StrCat(seconds));
  return target;
}

}  // namespace steward::kube
