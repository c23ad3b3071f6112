// The effect of a server-side apply on one object of a FakeClient. A pure function.
#ifndef KUBE_TESTING_FAKE_APPLY_H_
#define KUBE_TESTING_FAKE_APPLY_H_

#include <boost/json/value.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_write.h"

namespace steward::kube {

struct FakeApplyRequest {
  GroupVersionResource gvr;
  NamespacedName name;
  std::string manager;
  bool force = false;
};

// As for a kind of which the server has no schema: every list is one value. `stored` is null when
// there is no object: it is created. Fields that the manager applied before and no longer says are
// removed unless another manager owns them. 409, naming fields and managers, when others own what
// would change; `force` takes it from them. 400 and 422 for requests that make no sense. status is
// left out.
absl::StatusOr<FakeWrite> FakeApply(const FakeApplyRequest& request,
                                    const boost::json::value* stored,
                                    const boost::json::value& manifest);

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAKE_APPLY_H_
