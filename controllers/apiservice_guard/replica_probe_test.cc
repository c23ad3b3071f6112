#include "controllers/apiservice_guard/replica_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kube::GroupVersionResource kServices = {"", "v1", "services"};

class TestDialer : public ReplicaDialer {
 public:
  Task<ReplicaAnswer> Dial(const ReplicaAddress& address, const ServiceTarget&) override {
    dialed.push_back(StrCat(address.host, ":", address.port));
    const auto found = answers.find(address.host);
    co_return found == answers.end() ? ReplicaAnswer::kSilent : found->second;
  }
  std::map<std::string, ReplicaAnswer> answers;
  std::vector<std::string> dialed;
};

class ReplicaProbeTest : public ::testing::Test {
 protected:
  ReplicaProbeTest() {
    cluster_.Serve(kServices);
    cluster_.Serve(kube::kEndpointSlices);
    target_.service = {"ns", "api"};
  }
  void PutService(const std::string& spec) {
    cluster_.Put(kServices,
                 StrCat(R"({"metadata":{"name":"api","namespace":"ns"},"spec":)", spec, "}"));
  }
  void PutSlice(const std::string& name, const std::string& ports, const std::string& endpoints) {
    cluster_.Put(kube::kEndpointSlices,
                 StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"ns","labels":
        {"kubernetes.io/service-name":"api"}},"ports":)",
                        ports, R"(,"endpoints":)", endpoints, "}"));
  }
  ReplicaAnswer Probe() {
    dialer_.dialed.clear();
    const auto answer = RunOn(io_, ProbeReplicas(cluster_, dialer_, target_));
    EXPECT_OK(answer);
    return answer.value_or(ReplicaAnswer::kSilent);
  }

  boost::asio::io_context io_{1};
  kube::FakeClient cluster_;
  TestDialer dialer_;
  ServiceTarget target_;
};

TEST_F(ReplicaProbeTest, NobodyIsThere) {
  EXPECT_EQ(Probe(), ReplicaAnswer::kSilent) << "no Service";
  PutService(R"({"ports":[{"port":443}]})");
  EXPECT_EQ(Probe(), ReplicaAnswer::kSilent) << "no endpoints";
  PutSlice("a", R"([{"name":"other","port":1}])", R"([{"addresses":["10.0.0.1"]}])");
  PutSlice("b", "[]", R"([{"addresses":[]},7])");
  EXPECT_EQ(Probe(), ReplicaAnswer::kSilent) << "no such port";
  EXPECT_THAT(dialer_.dialed, IsEmpty());
}

TEST_F(ReplicaProbeTest, TheBestAnswerCounts) {
  PutService(R"({"ports":[{"port":443}]})");
  PutSlice("a", R"([{"port":8443}])", R"([{"addresses":["10.0.0.1"]},{"addresses":["10.0.0.2"],
      "conditions":{"ready":false}}])");
  PutSlice("b", R"([{"port":8444}])", R"([{"addresses":["10.0.0.3","10.0.0.4"]}])");
  EXPECT_EQ(Probe(), ReplicaAnswer::kSilent);
  EXPECT_THAT(dialer_.dialed, ElementsAre("10.0.0.1:8443", "10.0.0.3:8444"));
  dialer_.answers["10.0.0.3"] = ReplicaAnswer::kUntrusted;
  EXPECT_EQ(Probe(), ReplicaAnswer::kUntrusted);
  dialer_.answers["10.0.0.1"] = ReplicaAnswer::kTrusted;
  EXPECT_EQ(Probe(), ReplicaAnswer::kTrusted);
  EXPECT_THAT(dialer_.dialed, ElementsAre("10.0.0.1:8443"));
}

TEST_F(ReplicaProbeTest, ANameOutsideOfTheCluster) {
  PutService(R"({"type":"ExternalName","externalName":"elsewhere.example"})");
  Probe();
  EXPECT_THAT(dialer_.dialed, ElementsAre("elsewhere.example:443"));
}

TEST_F(ReplicaProbeTest, NoMoreThanEight) {
  PutService(R"({"ports":[{"port":443}]})");
  std::string endpoints;
  for (int i = 0; i < 20; ++i) {
    endpoints += StrCat(i == 0 ? "" : ",", R"({"addresses":["10.0.1.)", i, R"("]})");
  }
  PutSlice("a", R"([{"port":8443}])", StrCat("[", endpoints, "]"));
  Probe();
  EXPECT_THAT(dialer_.dialed, SizeIs(8));
}

}  // namespace
}  // namespace steward::controllers
