#include "kube/testing/conformance/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <set>
#include <string>
#include <vector>

#include "kube/testing/conformance/differences.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"
#include "kube/testing/fake_client.h"

namespace steward::kube::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using Kind = Outcome::Kind;

void Passes(Trial& t) {
  const std::string ns = t.Namespace();
  t.Eq("create", At(t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap("a"))), "data.a"), "1");
  t.Fails("get", t.Get(kConfigMaps, {ns, "b"}), 404, "NotFound", "\"b\" not found");
}

void Complains(Trial& t) {
  const std::string ns = t.Namespace();
  t.Eq("two", "1", "2");
  t.True("three", false);
  t.Ok("get", t.Get(kConfigMaps, {ns, "b"}));
  t.Fails("create", t.Create(kConfigMaps, ns, ConfigMap("a")), 409, "AlreadyExists");
  t.Fails("get", t.Get(kConfigMaps, {ns, "b"}), 404, "NotFound", "gone");
  t.Told("event", t.FirstOf(kConfigMaps, {}), "ADDED", "b");
}

class ConformanceTest : public ::testing::Test {
 protected:
  ConformanceTest() {
    cluster_.Serve(kNamespaces);
    cluster_.Serve(kConfigMaps);
  }

  boost::asio::io_context io_;
  FakeClient cluster_;
  Server server_{.client = cluster_, .io = io_};
};

TEST_F(ConformanceTest, PassesAndTidiesUp) {
  const Outcome outcome = RunCase({"A.B", "", Passes}, server_, {});
  EXPECT_EQ(outcome.kind, Kind::kPassed);
  EXPECT_THAT(outcome.complaints, IsEmpty());
  EXPECT_THAT(cluster_.Objects(kNamespaces), IsEmpty());
}

TEST_F(ConformanceTest, TellsEverythingThatIsWrong) {
  const Outcome outcome = RunCase({"A.B", "", Complains}, server_, {});
  EXPECT_EQ(outcome.kind, Kind::kFailed);
  EXPECT_THAT(
      outcome.complaints,
      ElementsAre("two: \"1\", not \"2\"", "three", HasSubstr("get: 404 NotFound: configmaps"),
                  "create: \"success\", not \"409 AlreadyExists: ...\"",
                  MatchesRegex("get: \"404 NotFound: .* not found\", not \"404 NotFound: .*gone\""),
                  HasSubstr("event: ADDED a, not ADDED b")));
}

TEST_F(ConformanceTest, DifferencesAreListedAndMustBeTrue) {
  const std::vector<Difference> differences = {{"A.B", "on purpose"}};
  const Outcome differs = RunCase({"A.B", "", Complains}, server_, differences);
  EXPECT_EQ(differs.kind, Kind::kDiffers);
  EXPECT_EQ(differs.why, "on purpose");
  const Outcome no_longer = RunCase({"A.B", "", Passes}, server_, differences);
  EXPECT_EQ(no_longer.kind, Kind::kFailed);
  EXPECT_THAT(no_longer.complaints, ElementsAre(HasSubstr("on purpose")));
  EXPECT_EQ(RunCase({"A.C", "", Passes}, server_, differences).kind, Kind::kPassed);
}

TEST_F(ConformanceTest, SkipsWhatTheServerLacks) {
  for (const Needs needs : {Needs::kControllers, Needs::kBookmarks, Needs::kForgetting}) {
    const Outcome outcome = RunCase({"A.B", "", Complains, needs}, server_, {});
    EXPECT_EQ(outcome.kind, Kind::kSkipped);
    EXPECT_NE(outcome.why, "");
  }
  server_.has_controllers = true;
  server_.bookmark_period = absl::Seconds(1);
  server_.forget_the_past = [] {};
  for (const Needs needs : {Needs::kControllers, Needs::kBookmarks, Needs::kForgetting}) {
    EXPECT_EQ(RunCase({"A.B", "", Passes, needs}, server_, {}).kind, Kind::kPassed);
  }
}

TEST(CasesTest, AreNamedOnceAndHaveASource) {
  std::set<std::string> names;
  for (const Case& test_case : AllCases()) {
    EXPECT_TRUE(names.insert(test_case.name).second) << test_case.name;
    EXPECT_THAT(test_case.name, MatchesRegex("[A-Z][a-zA-Z]+\\.[A-Z][a-zA-Z]+"));
    EXPECT_NE(test_case.source, "") << test_case.name;
  }
  for (const Difference& difference : EmbeddedDifferences()) {
    EXPECT_TRUE(names.contains(difference.name)) << difference.name;
  }
}

TEST(ObjectsTest, Paths) {
  boost::json::value value = {{"a", {{"b", "text"}, {"c", {1, 2}}}}};
  EXPECT_EQ(At(value, "a.b"), "text");
  EXPECT_EQ(At(value, "a.c"), "[1,2]");
  EXPECT_EQ(At(value, "a.x.y"), "");
  EXPECT_EQ(At(nullptr, "a"), "");
  Set(value, "a.x.y", 5);
  SetText(value, "a.z", "t");
  Remove(value, "a.b");
  Remove(value, "a.none.b");
  const boost::json::value expected = {{"a", {{"c", {1, 2}}, {"x", {{"y", 5}}}, {"z", "t"}}}};
  EXPECT_EQ(value, expected);
  EXPECT_EQ(At(value, {"a", "x", "y"}), "5");
}

TEST(ObjectsTest, NumbersOfStates) {
  EXPECT_TRUE(IsNewer("10", "9"));
  EXPECT_FALSE(IsNewer("9", "9"));
  EXPECT_FALSE(IsNewer("", "1"));
  EXPECT_FALSE(IsNewer("2", ""));
}

}  // namespace
}  // namespace steward::kube::conformance
