#include "controllers/rpc/cleanup/cleanup_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

template <typename Request>
Request Of(const std::string& ns, const std::string& name) {
  Request request;
  request.set_namespace_(ns);
  request.set_name(name);
  return request;
}

// Returns the right of a request, like "get cleanupstatuses.views.operators.coreos.com/pending
// ops/w.v1".
template <typename Request>
std::string RightOf(const Method<Request>& method, const Request& request) {
  const AccessAttributes access = method.target(request).access;
  std::string right = access.verb + " " + access.gvr.GroupResource();
  if (!access.subresource.empty()) right += "/" + access.subresource;
  return right + " " + access.ns + "/" + access.name;
}

template <typename Request>
int CodeOf(const Method<Request>& method, const Request& request) {
  const absl::Status status = method.check(request);
  return status.ok() ? 200 : kube::FromStatus(status).code;
}

TEST(CleanupMethodsTest, EachTakesOneRight) {
  cleanup::v1::ListRequest list;
  cleanup::v1::WatchRequest watch;
  EXPECT_EQ(RightOf(cleanup_methods::kGet, Of<cleanup::v1::GetRequest>("ops", "w.v1")),
            "get cleanupstatuses.views.operators.coreos.com ops/w.v1");
  EXPECT_EQ(RightOf(cleanup_methods::kList, list),
            "list cleanupstatuses.views.operators.coreos.com /");
  EXPECT_EQ(RightOf(cleanup_methods::kWatch, watch),
            "watch cleanupstatuses.views.operators.coreos.com /");
  EXPECT_EQ(
      RightOf(cleanup_methods::kListPending, Of<cleanup::v1::ListPendingRequest>("ops", "w.v1")),
      "get cleanupstatuses.views.operators.coreos.com/pending ops/w.v1");
  EXPECT_EQ(RightOf(cleanup_methods::kPreview, Of<cleanup::v1::PreviewRequest>("ops", "w.v1")),
            "get cleanupstatuses.views.operators.coreos.com/preview ops/w.v1");
  auto abort = Of<cleanup::v1::AbortRequest>("ops", "w.v1");
  abort.set_uid("u1");
  EXPECT_EQ(RightOf(cleanup_methods::kAbort, abort),
            "patch clusterserviceversions.operators.coreos.com ops/w.v1");
  EXPECT_EQ(cleanup_methods::kAbort.target(abort).uid, "u1");
  EXPECT_EQ(cleanup_methods::kAbort.answer, Access::Answer::kFresh);
}

TEST(CleanupMethodsTest, WhatCannotBeIsRefused) {
  EXPECT_EQ(CodeOf(cleanup_methods::kGet, Of<cleanup::v1::GetRequest>("ops", "w.v1")), 200);
  EXPECT_EQ(CodeOf(cleanup_methods::kGet, Of<cleanup::v1::GetRequest>("", "w.v1")), 400);
  EXPECT_EQ(CodeOf(cleanup_methods::kPreview, Of<cleanup::v1::PreviewRequest>("ops", "")), 400);
  EXPECT_EQ(CodeOf(cleanup_methods::kAbort, Of<cleanup::v1::AbortRequest>("ops", "No Name")), 400);
  cleanup::v1::ListRequest list;
  EXPECT_EQ(CodeOf(cleanup_methods::kList, list), 200) << "all namespaces";
  list.set_page_size(-1);
  EXPECT_EQ(CodeOf(cleanup_methods::kList, list), 400);
  auto pending = Of<cleanup::v1::ListPendingRequest>("ops", "w.v1");
  pending.set_page_size(-1);
  EXPECT_EQ(CodeOf(cleanup_methods::kListPending, pending), 400);
  cleanup::v1::WatchRequest watch;
  watch.set_namespace_("No Name");
  EXPECT_EQ(CodeOf(cleanup_methods::kWatch, watch), 400);
}

}  // namespace
}  // namespace steward::rpc
