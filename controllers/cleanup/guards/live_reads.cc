#include "controllers/cleanup/guards/live_reads.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

// Whole ClusterServiceVersions are tens of kB each, and answers are held as they come.
constexpr int64_t kWholePerPage = 100;
constexpr int64_t kMetadataPerPage = 500;

// Something between here and the API server answered.
bool IsForeign(const kube::Status& answer) {
  return std::any_of(
      answer.causes.begin(), answer.causes.end(),
      [](const kube::StatusCause& cause) { return cause.reason == "UnexpectedServerResponse"; });
}

}  // namespace

bool IsAbsence(const absl::Status& status, std::string_view name) {
  if (!kube::HasReason(status, "NotFound")) return false;
  const kube::Status answer = kube::FromStatus(status);
  return answer.code == 404 && !IsForeign(answer) && answer.name == name;
}

bool IsUnsupported(const absl::Status& status) {
  if (!kube::HasReason(status, "MethodNotAllowed")) return false;
  const kube::Status answer = kube::FromStatus(status);
  return answer.code == 405 && !IsForeign(answer);
}

std::string Describe(const absl::Status& status) {
  const std::string_view message = ToStd(status.message());
  return message.empty() ? std::string(ToStd(absl::StatusCodeToString(status.code())))
                         : std::string(message);
}

StatusTask ListLive(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                    std::string label_selector, Detail detail,
                    std::function<absl::Status(const kube::RawObject&)> visit) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(label_selector);
  options.metadata_only = detail == Detail::kMetadata;
  options.limit = options.metadata_only ? kMetadataPerPage : kWholePerPage;
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

}  // namespace steward::controllers
