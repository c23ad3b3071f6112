#include "payload/object_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"

namespace steward::payload {
namespace {

using ::testing::HasSubstr;

olm::PayloadManifest Manifest(const std::string& group, const std::string& kind,
                              const std::string& json = "{}") {
  olm::PayloadManifest manifest;
  manifest.gvk = {group, "v1", kind};
  manifest.identity = {group, kind, "n", "a"};
  manifest.object = boost::json::parse(json).as_object();
  return manifest;
}

std::string Lack(const olm::PayloadManifest& manifest, const std::string& json) {
  const auto lack = LackOf(manifest, boost::json::parse(json).as_object());
  return lack.ok() ? *lack : StrCat("error: ", lack.status().message());
}

std::string Condition(const std::string& type, const std::string& status) {
  return StrCat(R"("conditions":[{"type":")", type, R"(","status":")", status,
                R"(","message":"so"}])");
}

TEST(ObjectHealthTest, Workloads) {
  struct Case {
    const char* kind;
    std::string live;
    std::string lack;
  };
  const std::string seen = R"("observedGeneration":2,)";
  for (const Case& tc : std::vector<Case>{
           {"Deployment", R"({"metadata":{"generation":2}})", "not seen"},
           {"Deployment",
            R"({"metadata":{"generation":2},"status":{"observedGeneration":1,)" +
                Condition("Available", "True") + "}}",
            "not seen"},
           {"Deployment",
            R"({"metadata":{"generation":2},"spec":{"replicas":3},"status":{)" + seen +
                R"("updatedReplicas":1,)" + Condition("Available", "True") + "}}",
            "1 of 3 replicas"},
           {"Deployment",
            R"({"metadata":{"generation":2},"status":{)" + seen + R"("updatedReplicas":1,)" +
                Condition("Available", "False") + "}}",
            "not available: so"},
           {"Deployment",
            R"({"metadata":{"generation":2},"status":{)" + seen + R"("updatedReplicas":1,)" +
                Condition("Available", "True") + "}}",
            ""},
           {"DaemonSet", R"({"metadata":{"generation":2}})", "not seen"},
           {"DaemonSet",
            R"({"metadata":{"generation":2},"status":{)" + seen +
                R"("desiredNumberScheduled":2,"updatedNumberScheduled":1,"numberAvailable":2}})",
            "1 of 2 nodes have the Pod"},
           {"DaemonSet",
            R"({"metadata":{"generation":2},"spec":{"updateStrategy":{"type":"OnDelete"}},)"
            R"("status":{)" +
                seen +
                R"("desiredNumberScheduled":2,"updatedNumberScheduled":1,"numberAvailable":2}})",
            ""},
           {"DaemonSet",
            R"({"metadata":{"generation":2},"status":{)" + seen +
                R"("desiredNumberScheduled":2,"updatedNumberScheduled":2,"numberAvailable":1}})",
            "1 of 2 nodes have an available"},
           {"DaemonSet", R"({"metadata":{"generation":2},"status":{)" + seen + R"("a":0}})", ""},
       }) {
    const std::string lack = Lack(Manifest("apps", tc.kind), tc.live);
    EXPECT_THAT(lack, HasSubstr(tc.lack)) << tc.live;
    EXPECT_EQ(lack.empty(), tc.lack.empty()) << tc.live << ": " << lack;
  }
}

TEST(ObjectHealthTest, Jobs) {
  const olm::PayloadManifest job = Manifest("batch", "Job");
  EXPECT_EQ(Lack(job, "{}"), "the Job is not complete yet");
  EXPECT_EQ(Lack(job, "{\"status\":{" + Condition("Complete", "True") + "}}"), "");
  EXPECT_EQ(Lack(job, "{\"status\":{" + Condition("Failed", "True") + "}}"),
            "error: the Job has failed: so");
}

TEST(ObjectHealthTest, ClusterOperators) {
  const olm::PayloadManifest manifest =
      Manifest("config.openshift.io", "ClusterOperator",
               R"({"status":{"versions":[{"name":"operator","version":"4.5.1"}]}})");
  const std::string available = Condition("Available", "True");
  EXPECT_THAT(Lack(manifest, "{}"), HasSubstr("not available"));
  EXPECT_THAT(Lack(manifest, "{\"status\":{" + available + "}}"),
              HasSubstr("does not report operator 4.5.1"));
  EXPECT_THAT(Lack(manifest, "{\"status\":{" + available +
                                 R"(,"versions":[{"name":"operator","version":"4.5.0"}]}})"),
              HasSubstr("does not report"));
  EXPECT_EQ(Lack(manifest, "{\"status\":{" + available +
                               R"(,"versions":[{"name":"operator","version":"4.5.1"}]}})"),
            "");
}

TEST(ObjectHealthTest, OtherKindsHaveNone) {
  EXPECT_FALSE(HasHealth({"", "ConfigMap", "n", "a"}));
  EXPECT_FALSE(HasHealth({"example.com", "Job", "n", "a"}));
  EXPECT_EQ(Lack(Manifest("", "ConfigMap"), "{}"), "");
  EXPECT_THAT(Lack(Manifest("apiextensions.k8s.io", "CustomResourceDefinition"), "{}"),
              HasSubstr("not there yet"));
}

}  // namespace
}  // namespace steward::payload
