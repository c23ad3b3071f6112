// The SubjectAccessReview of a request, and the key by which its answer is kept. Pure functions.
#ifndef APISERVER_FILTERS_AUTHORIZATION_SUBJECT_ACCESS_REVIEW_H_
#define APISERVER_FILTERS_AUTHORIZATION_SUBJECT_ACCESS_REVIEW_H_

#include <boost/json/object.hpp>
#include <string>

#include "apiserver/http/message/message.h"

namespace steward::filters {

// The `spec` of an authorization.k8s.io/v1 SubjectAccessReview for Request.user and Request.info.
// For list, watch and deletecollection it contains the requirements of the selectors (KEP-4601).
// Omits a selector or requirement that the review cannot express, and a selector above 4 KiB. That
// is safe: without it, the review asks for more rights.
boost::json::object SubjectAccessReviewSpec(const http::Request& request);

// A digest, 32 bytes, of everything that the spec is made of: requests with equal keys have equal
// specs. Requests with equal specs may have different keys, as selectors count as they are written.
// Costs a fraction of the spec.
std::string SubjectAccessReviewKey(const http::Request& request);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHORIZATION_SUBJECT_ACCESS_REVIEW_H_
