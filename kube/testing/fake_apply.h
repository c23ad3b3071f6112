// Computes the effect of a server-side apply on one object of a FakeClient. A pure function.
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

// Applies as a server does for a kind without a schema: every list is one value. If `stored` is
// null, the object is created. Fields that the manager applied before and now omits are removed,
// unless another manager owns them. Fails with 409, naming fields and managers, if others own
// fields that would change; `force` takes these over. 400 and 422: invalid requests. status is
// ignored.
absl::StatusOr<FakeWrite> FakeApply(const FakeApplyRequest& request,
                                    const boost::json::value* stored,
                                    const boost::json::value& manifest);

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAKE_APPLY_H_
