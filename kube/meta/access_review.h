// The parts of an authorization.k8s.io/v1 SubjectAccessReview. Pure functions.
#ifndef KUBE_META_ACCESS_REVIEW_H_
#define KUBE_META_ACCESS_REVIEW_H_

#include <boost/json/object.hpp>
#include <string_view>

#include "kube/meta/user_info.h"

namespace steward::kube {

// The access to a resource that is asked about. Fields may be "".
struct ResourceAccess {
  std::string_view verb;
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view subresource;
  std::string_view ns;
  std::string_view name;
};

// The `resourceAttributes` of a review. Equal questions give equal text.
boost::json::object ResourceAttributes(const ResourceAccess& access);

// Sets the user of a review in its `spec`; empty fields are left out.
void SetReviewedUser(const UserInfo& user, boost::json::object& spec);

}  // namespace steward::kube

#endif  // KUBE_META_ACCESS_REVIEW_H_
