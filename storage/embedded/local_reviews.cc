#include "storage/embedded/local_reviews.h"

#include <boost/json/object.hpp>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "kube/client/impersonation.h"
#include "kube/meta/status.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

absl::Status NotServed() { return kube::ToStatus(kube::NotFoundPath()); }

}  // namespace

LocalReviews::LocalReviews() : RefusingClient(NotServed()) {}

Task<json::value> LocalReviews::Create(const kube::GroupVersionResource& gvr, const std::string&,
                                       const json::value& object,
                                       const kube::WriteOptions& options) {
  CO_RETURN_IF_ERROR(kube::MaySend(options.may_send));
  json::value review = object;
  if (!review.is_object()) co_return NotServed();
  json::value& status = review.as_object()["status"];
  if (gvr.group == "authentication.k8s.io" && gvr.resource == "tokenreviews") {
    status = {{"authenticated", false}};
  } else if (gvr.group == "authorization.k8s.io" && gvr.resource == "subjectaccessreviews") {
    status = {{"allowed", false}, {"reason", "this server is for the group system:masters alone"}};
  } else {
    co_return NotServed();
  }
  co_return review;
}

std::unique_ptr<kube::Client> LocalReviews::As(const kube::UserInfo& user) {
  absl::Status refused = kube::CheckActingUser(user);
  if (!refused.ok()) return std::make_unique<RefusingClient>(std::move(refused));
  return std::make_unique<LocalReviews>();
}

}  // namespace steward::storage
