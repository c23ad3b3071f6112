#include "plugin/cluster/reads.h"

#include <utility>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/client/pager.h"

namespace steward::plugin {
namespace {

constexpr int64_t kPageSize = 500;
constexpr size_t kMaxObjectBytes = 16 << 20;

}  // namespace

absl::StatusOr<boost::json::value> ParseObject(std::string_view json) {
  JsonLimits limits;
  limits.max_size = kMaxObjectBytes;
  absl::StatusOr<boost::json::value> value = ParseJson(json, limits);
  if (!value.ok()) return absl::DataLossError(value.status().message());
  if (!value->is_object()) return absl::DataLossError("the answer is no object");
  return value;
}

Task<boost::json::value> ReadObject(kube::Client& client, kube::GroupVersionResource gvr,
                                    kube::NamespacedName name) {
  CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client.Get(gvr, name));
  co_return ParseObject(raw.json);
}

StatusTask VisitAll(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                    bool metadata_only, std::function<absl::Status(const kube::RawObject&)> visit,
                    std::string selector) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(selector);
  options.limit = kPageSize;
  options.metadata_only = metadata_only;
  return kube::VisitAll(client, std::move(gvr), std::move(options), std::move(visit));
}

}  // namespace steward::plugin
