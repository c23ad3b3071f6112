// What may I do here?
#ifndef APISERVER_REVIEWS_SELF_REVIEWS_H_
#define APISERVER_REVIEWS_SELF_REVIEWS_H_

#include <vector>

#include "apiserver/filters/authorizer.h"
#include "apiserver/rest/resource.h"

namespace steward::reviews {

// The resources selfsubjectaccessreviews and selfsubjectrulesreviews of authorization.k8s.io/v1,
// for a server that is no kube-apiserver's: their answers are those that the requester's own
// requests would get, selectors left aside. Rules are listed only for who may do everything; for
// all others the list is empty and says that it is incomplete. The arguments outlive the resources.
std::vector<rest::Resource> SelfReviews(const filters::AlwaysAllowed& always_allowed,
                                        filters::Authorizer& authorizer);

}  // namespace steward::reviews

#endif  // APISERVER_REVIEWS_SELF_REVIEWS_H_
