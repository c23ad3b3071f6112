#include "controllers/cleanup/guards/live_reads.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text/str_cat.h"
#include "kube/client/pager.h"

namespace steward::controllers {
namespace {

// A ClusterServiceVersion is tens of kB, and a whole page is held in memory.
constexpr int64_t kWholePerPage = 100;
constexpr int64_t kMetadataPerPage = 500;

}  // namespace

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
  return kube::VisitAll(client, std::move(gvr), std::move(options), std::move(visit));
}

}  // namespace steward::controllers
