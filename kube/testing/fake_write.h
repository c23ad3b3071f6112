// Computes the effect of a FakeClient's writes on one object. Pure functions over values; the
// client sets resourceVersion.
#ifndef KUBE_TESTING_FAKE_WRITE_H_
#define KUBE_TESTING_FAKE_WRITE_H_

#include <boost/json/value.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

struct FakeWrite {
  enum class Kind { kUnchanged, kChanged, kRemoved };
  Kind kind;
  boost::json::value object;
};

// Adds the fields that a POST sets.
void PrepareFakeCreate(boost::json::value& object);
// Returns the effect of a PUT. 409: the resourceVersion or uid in `updated` differs from that of
// `stored`.
absl::StatusOr<FakeWrite> FakeUpdate(const GroupVersionResource& gvr,
                                     const boost::json::value& stored, boost::json::value updated,
                                     const std::string& subresource);
// Returns the effect of a DELETE. 409: a precondition does not hold.
absl::StatusOr<FakeWrite> FakeDelete(const GroupVersionResource& gvr,
                                     const boost::json::value& stored,
                                     const DeleteOptions& options);
// Applies a merge patch (RFC 7396).
void MergePatch(boost::json::value& target, const boost::json::value& patch);

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAKE_WRITE_H_
