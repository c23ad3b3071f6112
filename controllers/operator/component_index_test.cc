#include "controllers/operator/component_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "controllers/operator/component_kinds.h"
#include "kube/client/client.h"
#include "kube/client/raw_object.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr size_t kDeploymentKindAt = kInstallPlanKindAt + 1;

kube::RawObject Object(const std::string& name, const std::string& metadata,
                       const std::string& version = "1") {
  return kube::OwnedRawObject(StrCat(R"({"metadata":{"namespace":"ops","name":")", name,
                                     R"(","uid":"u-)", name, R"(","resourceVersion":")", version,
                                     "\"", metadata, "}}"));
}
const std::string kLabelled = R"(,"labels":{"operators.coreos.com/reed.ops":""})";

class ComponentIndexTest : public ::testing::Test {
 protected:
  storage::ReflectorSink& sink() { return index_.SinkOf(kDeploymentKindAt); }
  void List(const std::vector<kube::RawObject>& objects) {
    sink().OnReplaceBegin();
    for (const kube::RawObject& object : objects) sink().OnReplaceItem(object);
    sink().OnReplaceEnd(1);
  }
  const ComponentId a_ = {kDeploymentKindAt, {"ops", "a"}};
  std::vector<std::string> changes_;
  int lists_ = 0;
  ComponentIndex index_{
      WatchedKinds(false),
      [this](const ComponentId& id, const olm::Component* before, const olm::Component* after) {
        changes_.push_back(
            StrCat(before == nullptr ? "" : "-", after == nullptr ? "" : "+", id.name.name));
      },
      [this] { ++lists_; }};
};

TEST_F(ComponentIndexTest, HoldsWhatMatters) {
  EXPECT_FALSE(index_.listed(kDeploymentKindAt));
  List({Object("a", kLabelled), Object("b", ""),
        Object("c", R"(,"labels":{"operators.coreos.com/reed.ops":"","olm.copiedFrom":"x"})"),
        kube::OwnedRawObject("{"), kube::OwnedRawObject("[]"), kube::OwnedRawObject("{}")});
  EXPECT_TRUE(index_.listed(kDeploymentKindAt));
  EXPECT_EQ(lists_, 1);
  EXPECT_THAT(index_.ComponentsOf("reed.ops"), ElementsAre(a_));
  EXPECT_THAT(index_.NamesOf(kDeploymentKindAt), SizeIs(1));
  EXPECT_THAT(index_.OperatorNames(), ElementsAre("reed.ops"));

  sink().OnEvent(kube::WatchEvent::Type::kModified, Object("b", kLabelled, "2"), 2);
  EXPECT_THAT(index_.ComponentsOf("reed.ops"), SizeIs(2));
  sink().OnEvent(kube::WatchEvent::Type::kModified, Object("a", "", "3"), 3);
  EXPECT_EQ(index_.Find(a_), nullptr);
  sink().OnEvent(kube::WatchEvent::Type::kDeleted, Object("b", kLabelled, "4"), 4);
  EXPECT_THAT(index_.OperatorNames(), IsEmpty());
  EXPECT_THAT(changes_, ElementsAre("+a", "+b", "-a", "-b"));
}

// A list that breaks off changes nothing, and one that is equal tells nothing.
TEST_F(ComponentIndexTest, ListsReplaceAtTheirEnd) {
  List({Object("a", kLabelled), Object("b", kLabelled)});
  changes_.clear();
  sink().OnReplaceBegin();
  sink().OnReplaceItem(Object("c", kLabelled));
  sink().OnDisconnected(absl::UnavailableError("connection reset"));
  EXPECT_THAT(index_.ComponentsOf("reed.ops"), SizeIs(2));
  List({Object("b", kLabelled), Object("a", kLabelled)});
  EXPECT_THAT(changes_, IsEmpty());
  List({Object("b", kLabelled, "2")});
  EXPECT_THAT(changes_, ElementsAre("-a", "-+b"));
  sink().OnAbsent();
  EXPECT_THAT(index_.ComponentsOf("reed.ops"), IsEmpty());
}

TEST_F(ComponentIndexTest, OwnersAreNamed) {
  List({Object("a", R"(,"labels":{"olm.owner":"reed.v1","olm.owner.namespace":"ops",)"
                    R"("olm.owner.kind":"ClusterServiceVersion"})")});
  EXPECT_THAT(index_.OwnedBy({"ops", "reed.v1"}), ElementsAre(a_));
  EXPECT_THAT(index_.OwnedBy({"other", "reed.v1"}), IsEmpty());
}

TEST_F(ComponentIndexTest, ConditionsAreThoseOfAVersion) {
  List({Object("a", kLabelled)});
  EXPECT_EQ(index_.ConditionsOf(a_), nullptr);
  index_.KeepConditions(a_, "1", "[1]");
  ASSERT_NE(index_.ConditionsOf(a_), nullptr);
  EXPECT_EQ(*index_.ConditionsOf(a_), "[1]");
  sink().OnEvent(kube::WatchEvent::Type::kModified, Object("a", kLabelled, "2"), 2);
  EXPECT_EQ(index_.ConditionsOf(a_), nullptr);
  index_.KeepConditions({kDeploymentKindAt, {"ops", "gone"}}, "1", "[1]");
  EXPECT_EQ(index_.ConditionsOf({kDeploymentKindAt, {"ops", "gone"}}), nullptr);
}

TEST_F(ComponentIndexTest, NamesThatAreCutAreTheSame) {
  const std::string cut(63, 'a');
  const auto put = [this](size_t kind, const std::string& name, const std::string& package,
                          std::set<std::string> operators) {
    ComponentIndex::Object object;
    object.component.key = {"ops", name};
    object.component.uid = name;
    object.component.operators = std::move(operators);
    object.subscription.package = package;
    object.subscription.installed_csv = "installed";
    index_.Put({kind, {"ops", name}}, std::move(object));
  };
  put(kSubscriptionKindAt, "s", cut + "b", {});
  put(kSubscriptionKindAt, "t", "other", {});
  put(kSubscriptionKindAt, "u", "", {});
  EXPECT_THAT(index_.UncutNamesOf(cut), ElementsAre(cut + "b.ops"));
  EXPECT_THAT(index_.UncutNamesOf("other.ops"), ElementsAre("other.ops"));
  EXPECT_THAT(index_.UncutNamesOf("oth"), IsEmpty());
  put(kCsvKindAt, cut + "c", "", {});
  put(kCsvKindAt, cut + "d", "", {"kept"});  // it has another Operator
  put(kCsvKindAt, "installed", "", {});
  EXPECT_THAT(index_.UncutNamesOf(cut), ElementsAre(cut + "b.ops", cut + "c.ops"));
  EXPECT_THAT(index_.UncutNamesOf("installed.ops"), IsEmpty());
}

}  // namespace
}  // namespace steward::controllers
