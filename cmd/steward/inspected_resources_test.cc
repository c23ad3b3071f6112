#include "cmd/steward/inspected_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "apiserver/stored/stored_resources.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "storage/embedded/types/builtin_types.h"

namespace steward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(InspectedResourcesTest, NothingCanBeWritten) {
  kube::FakeClient client;
  std::vector<kube::ResourceType> types = storage::BuiltinTypes();
  kube::ResourceType pods;
  pods.gvk = {"", "v1", "Pod"};
  pods.plural = "pods";
  types.push_back(pods);
  const std::vector<rest::Resource> resources =
      ToBeReadOnly(stored::StoredResources(client, types, Clock::Real()));
  ASSERT_EQ(resources.size(), types.size());
  for (const rest::Resource& resource : resources) {
    EXPECT_THAT(resource.Verbs(), ElementsAre("get", "list", "watch"));
    for (const rest::Subresource& sub : resource.subresources) {
      EXPECT_THAT(sub.Verbs(), ElementsAre("get")) << sub.name;
    }
    EXPECT_THAT(resource.where_to_write({"a", "b"}), HasSubstr("this is a dump"));
  }
  ASSERT_EQ(resources.back().subresources.size(), 1u);
  boost::asio::io_context io{1};
  const kube::NamespacedName name{"a", "b"};
  const auto log = RunOn(io, resources.back().subresources[0].get_blob->GetBlob(name));
  EXPECT_EQ(kube::FromStatus(log.status()).code, 503);
}

TEST(InspectedResourcesTest, WhatOnlyALiveClusterCanSay) {
  boost::asio::io_context io{1};
  NotLive questions;
  const auto answer = RunOn(io, questions.ListPending({}, {"a", "b"}, 0, ""));
  const kube::Status status = kube::FromStatus(answer.status());
  EXPECT_EQ(status.code, 503);
  EXPECT_EQ(status.retry_after_seconds, 0);
  EXPECT_THAT(status.message, HasSubstr("only a live cluster can say"));
  for (const absl::Status& other : {RunOn(io, questions.OfPlan({}, {"a", "b"})).status(),
                                    RunOn(io, questions.OfBundle({}, "a", {})).status(),
                                    RunOn(io, questions.OfUninstall({}, {"a", "b"}, true)).status(),
                                    RunOn(io, questions.OfCopies({}, true)).status()}) {
    EXPECT_EQ(kube::FromStatus(other).message, status.message);
  }
}

}  // namespace
}  // namespace steward
