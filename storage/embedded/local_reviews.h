// Authentication and authorization where there is no kube-apiserver to ask. Thread-safe: stateless.
#ifndef STORAGE_EMBEDDED_LOCAL_REVIEWS_H_
#define STORAGE_EMBEDDED_LOCAL_REVIEWS_H_

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "base/async/task.h"
#include "kube/client/refusing_client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::storage {

// Answers reviews: no token belongs to a user (TokenReview), and no action is allowed
// (SubjectAccessReview). An API server that uses this client serves only the group system:masters,
// which needs no review. Every other request gets 404.
class LocalReviews : public kube::RefusingClient {
 public:
  LocalReviews();
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  // The answers are the same for everyone who asks.
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LOCAL_REVIEWS_H_
