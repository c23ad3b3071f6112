#include "olm/payload/payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

PayloadDocument Document(const std::string& where, const std::string& json) {
  return {where, where, boost::json::parse(json).as_object()};
}
PayloadDocument ConfigMap(const std::string& where, const std::string& name,
                          const std::string& annotations = "{}") {
  return Document(where, StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")",
                                name, R"(","namespace":"n","annotations":)", annotations, "}}"));
}
std::string Delete(const std::string& value) {
  return StrCat(R"({"release.openshift.io/delete":)", value, "}");
}

// An identity that may mean another object, or no deletion, is a fault.
TEST(PayloadTest, IdentitiesThatAreNone) {
  const auto fault = [](const std::string& head) {
    const Payload payload = ReadPayload({Document("a", StrCat("{", head, "}}"))});
    return payload.faults.empty() ? "" : payload.faults.front().what;
  };
  const std::string map = R"("apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a")";
  EXPECT_EQ(fault(map), "");
  EXPECT_EQ(fault(R"("apiVersion":"a.b/v1","kind":"Thing","metadata":{"name":"a")"), "");
  EXPECT_EQ(fault(map + R"(,"namespace":"n","annotations":null)"), "");
  EXPECT_THAT(fault(map + R"(,"namespace":false)"), HasSubstr("no text"));
  EXPECT_THAT(fault(map + R"(,"namespace":"N/x")"), HasSubstr("no name"));
  EXPECT_THAT(fault(map + R"(,"annotations":["release.openshift.io/delete"])"),
              HasSubstr("no object"));
  EXPECT_THAT(fault(R"("apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x/../y")"),
              HasSubstr("no name"));
  EXPECT_THAT(fault(R"("apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
                    R"("metadata":{"name":"steward-x","namespace":"foo")"),
              HasSubstr("in no namespace"));
}

TEST(PayloadTest, R_003_07_08_09_OnlyTheStringTrueDeletes) {
  for (const auto& [value, right] : std::vector<std::pair<std::string, bool>>{{R"("true")", true},
                                                                              {R"("True")", false},
                                                                              {R"("TRUE")", false},
                                                                              {R"(" true")", false},
                                                                              {R"("")", false},
                                                                              {R"("false")", false},
                                                                              {R"("yes")", false},
                                                                              {"true", false},
                                                                              {"null", false},
                                                                              {"1", false}}) {
    SCOPED_TRACE(value);
    const Payload payload = ReadPayload({ConfigMap("a", "a", Delete(value))});
    ASSERT_EQ(payload.manifests.size(), 1);
    EXPECT_EQ(payload.manifests[0].deletes, right);
    if (right) {
      EXPECT_THAT(payload.faults, IsEmpty());
    } else {
      ASSERT_EQ(payload.faults.size(), 1);
      EXPECT_EQ(payload.faults[0].where, "a");
      EXPECT_THAT(payload.faults[0].what, HasSubstr(value));
    }
  }
  EXPECT_FALSE(ReadPayload({ConfigMap("a", "a")}).manifests[0].deletes);
}

// R-003-10: all at once.
TEST(PayloadTest, R_003_10_EveryFaultIsNamed) {
  const Payload payload =
      ReadPayload({ConfigMap("a", "x", Delete(R"("True")")), ConfigMap("b", "y", Delete("1")),
                   ConfigMap("c", "x"), Document("f", R"({"kind":"ConfigMap"})")});
  std::vector<std::string> faults;
  for (const PayloadFault& fault : payload.faults) {
    faults.push_back(StrCat(fault.where, ": ", fault.what));
  }
  EXPECT_THAT(faults, ::testing::ElementsAre(HasSubstr("a: ConfigMap \"n/x\": the annotation"),
                                             HasSubstr("b: ConfigMap \"n/y\": the annotation"),
                                             "f: a manifest needs apiVersion, kind and a name"));
}

// Case 52: one object, whichever of its groups a manifest names.
TEST(PayloadTest, IdentityFollowsStorage) {
  const auto read = [](const std::string& api_version, const std::string& kind,
                       const std::string& ns) {
    return ReadPayload({Document("a", StrCat(R"({"apiVersion":")", api_version, R"(","kind":")",
                                             kind, R"(","metadata":{"name":"x")", ns, "}}"))})
        .manifests.at(0);
  };
  const PayloadManifest project = read("project.openshift.io/v1", "Project", "");
  EXPECT_EQ(project.identity, read("v1", "Namespace", "").identity);
  EXPECT_EQ(project.gvk.group, "project.openshift.io") << "it is written as it stands";
  EXPECT_EQ(project.StoredVersion(), "");
  EXPECT_EQ(read("v1", "Namespace", "").StoredVersion(), "v1");
  const std::string in = R"(,"namespace":"n")";
  EXPECT_EQ(read("events.k8s.io/v1", "Event", in).identity, read("v1", "Event", in).identity);
  EXPECT_EQ(read("authorization.openshift.io/v1", "Role", in).identity,
            read("rbac.authorization.k8s.io/v1", "Role", in).identity);
}

TEST(PayloadTest, KindsOfTwoGroupsAreTwoObjects) {
  const Payload payload =
      ReadPayload({Document("a", R"({"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"n"}})"),
                   Document("b", R"({"apiVersion":"c.d/v1","kind":"K","metadata":{"name":"n"}})")});
  EXPECT_THAT(payload.faults, IsEmpty());
  EXPECT_EQ(payload.manifests[0].identity.ToString(), "K.a.b \"n\"");
}

// R-003-28: what else a delete manifest says does not matter.
TEST(PayloadTest, R_003_28_ADeleteManifestsSpec) {
  for (const char* more : {"", R"(,"spec":3)", R"(,"data":[])"}) {
    const Payload payload = ReadPayload({Document(
        "a",
        StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","namespace":"n",)",
               R"("annotations":)", R"({"release.openshift.io/delete":"true",)",
               R"("release.openshift.io/create-only":"true"}})", more, "}"))});
    EXPECT_THAT(payload.faults, IsEmpty());
    EXPECT_TRUE(payload.manifests[0].deletes);
    EXPECT_FALSE(payload.manifests[0].create_only);
  }
  EXPECT_TRUE(ReadPayload({ConfigMap("a", "n", R"({"release.openshift.io/create-only":"True"})")})
                  .manifests[0]
                  .create_only);
}

}  // namespace
}  // namespace steward::olm
