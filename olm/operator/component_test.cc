#include "olm/operator/component.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json::object Parsed(std::string_view text) { return json::parse(text).as_object(); }

struct ComponentCase {
  const char* name;
  std::string metadata;  // further members
  std::set<std::string> operators;
  std::vector<CsvOwner> owners;
  bool copied = false;
};

TEST(ComponentTest, TheFirstOperatorsByNameCount) {
  const auto name = [](size_t i) { return StrCat("o", 100000 + i); };
  for (const size_t labels : {kMaxOperatorsOfOne, kMaxOperatorsOfOne + 1, size_t{20000}}) {
    SCOPED_TRACE(labels);
    Component component;
    // From both ends.
    for (size_t i = 0; i < labels; ++i) {
      const size_t next = i % 2 == 0 ? i / 2 : labels - 1 - i / 2;
      component.AddLabel(StrCat("operators.coreos.com/", name(next)));
    }
    component.AddLabel("other");
    EXPECT_EQ(component.operators.size(), kMaxOperatorsOfOne);
    EXPECT_EQ(*component.operators.begin(), name(0));
    EXPECT_EQ(*component.operators.rbegin(), name(kMaxOperatorsOfOne - 1));
    EXPECT_EQ(component.more_operators, labels > kMaxOperatorsOfOne);
  }
}

TEST(ComponentTest, IsRead) {
  constexpr char kReference[] =
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)"
      R"("name":"reed.v1","uid":"c"})";
  for (const ComponentCase& tc : std::vector<ComponentCase>{
           {"nothing", "", {}, {}},
           {"labels",
            R"(,"labels":{"operators.coreos.com/b.ops":"x","operators.coreos.com/a":"",)"
            R"("operators.coreos.com/":"","other":""})",
            {"a", "b.ops"},
            {}},
           {"a copy",
            R"(,"labels":{"olm.copiedFrom":"","operators.coreos.com/a":""})",
            {"a"},
            {},
            true},
           {"an owner reference",
            StrCat(R"(,"namespace":"ops","ownerReferences":[)", kReference,
                   R"(,{"apiVersion":"v1","kind":"ConfigMap","name":"x",)"
                   R"("uid":"x"},3])"),
            {},
            {{{"ops", "reed.v1"}, "c"}}},
           {"one of a cluster-scoped object",
            StrCat(R"(,"ownerReferences":[)", kReference, "]"),
            {},
            {}},
           {"OLM's labels",
            R"(,"labels":{"olm.owner":"reed.v1","olm.owner.namespace":"ops",)"
            R"("olm.owner.kind":"ClusterServiceVersion"})",
            {},
            {{{"ops", "reed.v1"}, ""}}},
           {"OLM's labels of another kind",
            R"(,"labels":{"olm.owner":"g","olm.owner.namespace":"ops",)"
            R"("olm.owner.kind":"OperatorGroup"})",
            {},
            {}},
           {"wrong types", R"(,"labels":[],"ownerReferences":{},"annotations":1)", {}, {}},
       }) {
    SCOPED_TRACE(tc.name);
    ASSERT_OK_AND_ASSIGN(
        const Component component,
        ReadComponent(Parsed(StrCat(R"({"metadata":{"name":"n","uid":"u",)",
                                    R"("resourceVersion":"7")", tc.metadata, "}}"))));
    EXPECT_EQ(component.key.name, "n");
    EXPECT_EQ(component.uid, "u");
    EXPECT_EQ(component.resource_version, "7");
    EXPECT_EQ(component.operators, tc.operators);
    EXPECT_EQ(component.owners, tc.owners);
    EXPECT_EQ(component.copied, tc.copied);
    EXPECT_FALSE(component.generated);
  }
}

TEST(ComponentTest, NeedsANameAndAUid) {
  for (const char* text : {"{}", R"({"metadata":{}})", R"({"metadata":{"name":"n"}})",
                           R"({"metadata":{"uid":"u","name":1}})", R"({"metadata":[]})"}) {
    EXPECT_FALSE(ReadComponent(Parsed(text)).ok()) << text;
  }
}

TEST(ComponentTest, AnAnnotationSaysThatItWasGenerated) {
  for (const std::string value : {"true", "false", ""}) {
    ASSERT_OK_AND_ASSIGN(
        const Component component,
        ReadComponent(Parsed(StrCat(R"({"metadata":{"name":"n","uid":"u","annotations":{")",
                                    kGeneratedAnnotation, R"(":")", value, "\"}}}"))));
    EXPECT_EQ(component.generated, value == "true");
  }
}

TEST(ComponentTest, IsOwned) {
  Component component;
  component.owners = {{{"ops", "a"}, "1"}, {{"ops", "b"}, ""}};
  EXPECT_TRUE(IsOwnedBy(component, {"ops", "a"}, "1"));
  EXPECT_FALSE(IsOwnedBy(component, {"ops", "a"}, "2"));
  EXPECT_TRUE(IsOwnedBy(component, {"ops", "b"}, "2"));
  EXPECT_FALSE(IsOwnedBy(component, {"other", "b"}, "2"));
}

TEST(ComponentTest, ASubscriptionSaysWhatItInstalls) {
  const Subscription all =
      ReadSubscription(Parsed(R"({"spec":{"name":"reed"},"status":{"installedCSV":"reed.v1",)"
                              R"("currentCSV":"reed.v2","installPlanRef":{"name":"install-1"}}})"));
  EXPECT_EQ(all, (Subscription{"reed", "reed.v1", "reed.v2", "install-1"}));
  EXPECT_TRUE(all.Installs("reed.v1"));
  EXPECT_TRUE(all.Installs("reed.v2"));
  EXPECT_FALSE(all.Installs("reed.v3"));
  EXPECT_FALSE(Subscription().Installs(""));
  EXPECT_EQ(ReadSubscription(Parsed(R"({"spec":[],"status":{"installPlanRef":1}})")),
            Subscription());
}

}  // namespace
}  // namespace steward::olm
