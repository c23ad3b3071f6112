// The SubjectAccessReview of a request. Pure functions.
#ifndef APISERVER_FILTERS_AUTHORIZATION_SUBJECT_ACCESS_REVIEW_H_
#define APISERVER_FILTERS_AUTHORIZATION_SUBJECT_ACCESS_REVIEW_H_

#include <boost/json/object.hpp>

#include "apiserver/http/message/message.h"

namespace steward::filters {

// The `spec` of an authorization.k8s.io/v1 SubjectAccessReview for Request.user and Request.info.
// For list, watch and deletecollection it contains the requirements of the selectors (KEP-4601).
// Omits a selector or requirement that the review cannot express, and a selector above 4 KiB. That
// is safe: without it, the review asks for more rights. Equal requests of one user give equal text.
boost::json::object SubjectAccessReviewSpec(const http::Request& request);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHORIZATION_SUBJECT_ACCESS_REVIEW_H_
