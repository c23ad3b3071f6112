#include "controllers/rpc/bridge/request_checks.h"

#include <algorithm>

#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

constexpr int kDefaultPage = 500;
constexpr int kMaxPage = 1000;

}  // namespace

absl::Status BadRequest(std::string_view message) {
  return kube::ToStatus(kube::BadRequest(message));
}

absl::Status CheckNamespace(const std::string& ns) {
  if (kube::IsDns1123Label(ns)) return absl::OkStatus();
  return BadRequest("namespace: not the name of a namespace");
}

absl::Status CheckScope(const std::string& ns) {
  return ns.empty() ? absl::OkStatus() : CheckNamespace(ns);
}

absl::Status CheckName(std::string_view field, const std::string& name, std::string_view kind) {
  if (kube::IsDns1123Subdomain(name)) return absl::OkStatus();
  return BadRequest(StrCat(field, ": not the name of ", kind));
}

absl::StatusOr<size_t> PageSize(int asked) {
  if (asked < 0) return BadRequest("page_size: must not be negative");
  return static_cast<size_t>(asked == 0 ? kDefaultPage : std::min(asked, kMaxPage));
}

}  // namespace steward::rpc
