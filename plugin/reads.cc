#include "plugin/reads.h"

#include <utility>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::plugin {
namespace {

constexpr int64_t kPageSize = 500;
constexpr size_t kMaxObjectBytes = 16 << 20;

}  // namespace

bool IsAbsent(const absl::Status& status, std::string_view name) {
  return kube::HasReason(status, "NotFound") && kube::FromStatus(status).name == name;
}

bool IsUnserved(const absl::Status& status) {
  return absl::IsNotFound(status) && kube::FromStatus(status).name.empty();
}

bool IsForbidden(const absl::Status& status) { return kube::HasReason(status, "Forbidden"); }

bool IsConflict(const absl::Status& status) { return kube::HasReason(status, "Conflict"); }

bool IsPassing(const absl::Status& status) {
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) return true;
  if (status.ok()) return false;
  const int code = kube::FromStatus(status).code;
  return code == 429 || (code >= 500 && !absl::IsDataLoss(status));
}

absl::Status While(std::string_view doing, const absl::Status& status) {
  const std::string_view said = ToStd(status.message());
  absl::Status wrapped(
      status.code(),
      StrCat(doing, ": ", said.empty() ? ToStd(absl::StatusCodeToString(status.code())) : said));
  status.ForEachPayload([&wrapped](absl::string_view type, const absl::Cord& payload) {
    wrapped.SetPayload(type, payload);
  });
  return wrapped;
}

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
                    bool metadata_only, std::function<absl::Status(const kube::RawObject&)> visit) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.limit = kPageSize;
  options.metadata_only = metadata_only;
  while (true) {
    CO_ASSIGN_OR_RETURN(const kube::ListPage page, co_await client.List(gvr, options));
    for (const kube::RawObject& object : page.items) CO_RETURN_IF_ERROR(visit(object));
    if (page.continue_token.empty()) co_return absl::OkStatus();
    if (page.continue_token == options.continue_token) {
      co_return absl::DataLossError("a list does not go on");
    }
    options.continue_token = page.continue_token;
  }
}

}  // namespace steward::plugin
