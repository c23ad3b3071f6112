// The self-reviews of authorization.k8s.io: which requests a user may make. Thread-safe.
#ifndef APISERVER_REVIEWS_SELF_REVIEWS_H_
#define APISERVER_REVIEWS_SELF_REVIEWS_H_

#include <vector>

#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/rest/resource/resource.h"

namespace steward::reviews {

// The resources selfsubjectaccessreviews and selfsubjectrulesreviews of authorization.k8s.io/v1,
// for a server that is not behind a kube-apiserver. Each review is answered as the authorizer would
// decide the requester's own request, with selectors ignored. Rules are listed only for users who
// may do everything; for all others the list is empty and marked as incomplete. The arguments
// outlive the resources.
std::vector<rest::Resource> SelfReviews(const filters::AlwaysAllowed& always_allowed,
                                        filters::Authorizer& authorizer);

}  // namespace steward::reviews

#endif  // APISERVER_REVIEWS_SELF_REVIEWS_H_
