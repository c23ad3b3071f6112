#include "storage/cleanup/outlooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/async/run.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "olm/decode.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/rewind.h"

namespace steward::storage {
namespace {

using olm::CleanupPhase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct CsvParts {
  std::vector<std::string> owned;
  std::vector<std::string> required;
  std::string replaces;
  std::string labels;
  std::string reason = "InstallSucceeded";
};

std::string Definitions(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    StrAppend(&list, list.empty() ? "" : ",", R"({"name":")", name, R"(","kind":"K"})");
  }
  return StrCat("[", list, "]");
}

class OutlooksTest : public ::testing::Test {
 protected:
  OutlooksTest() {
    writer_.Replace(std::vector<olm::CsvPtr>{}, 10);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>{}, 10);
    writer_.Replace(std::vector<olm::NamespacePtr>{}, 10);
  }

  void PutCsv(const std::string& ns, const std::string& name, const CsvParts& parts = CsvParts()) {
    ++revision_;
    writer_.Put(*olm::DecodeCsv(StrCat(
                    R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"(","uid":")", ns,
                    name, R"(","resourceVersion":")", revision_, R"(","labels":{)", parts.labels,
                    R"(},"finalizers":["operatorframework.io/delete-custom-resources"]},)",
                    R"("spec":{"cleanup":{"enabled":true},"replaces":")", parts.replaces,
                    R"(","customresourcedefinitions":{"owned":)", Definitions(parts.owned),
                    R"(,"required":)", Definitions(parts.required),
                    R"(}},"status":{"phase":"Succeeded","reason":")", parts.reason, R"("}})")),
                revision_);
  }
  void PutGroup(const std::string& ns, const std::string& spec, const std::string& status) {
    writer_.Put(*olm::DecodeOperatorGroup(StrCat(R"({"metadata":{"name":"g","namespace":")", ns,
                                                 R"(","uid":"g)", ns, R"("},"spec":)", spec,
                                                 R"(,"status":{"namespaces":)", status, "}}")),
                ++revision_);
  }
  void PutNamespace(const std::string& name, const std::string& labels = "",
                    const std::string& phase = "Active") {
    writer_.Put(*olm::DecodeNamespace(StrCat(R"({"metadata":{"name":")", name, R"(","uid":"n)",
                                             name, R"(","labels":{)", labels,
                                             R"(}},"status":{"phase":")", phase, R"("}})")),
                ++revision_);
  }
  void Remove(Source source, const kube::NamespacedName& key) {
    writer_.Remove(source, key, ++revision_);
  }
  OutlookMapPtr Now() { return outlooks_.Of(writer_.Snapshot()); }
  // The phase of the only operator, or of the named one.
  CleanupPhase PhaseOf(const std::string& ns, const std::string& name) {
    return Now()->at({ns, name})->phase;
  }

  OperatorWriter writer_;
  uint64_t revision_ = 10;
  CleanupOutlooks outlooks_;
  boost::asio::io_context io_{1};
};

TEST_F(OutlooksTest, OneForEachThatIsNoCopy) {
  PutNamespace("ops");
  PutGroup("ops", "{}", R"([""])");
  PutCsv("ops", "a.v1", {.owned = {"as.x.io"}});
  PutCsv("t1", "a.v1", {.labels = R"("olm.copiedFrom":"ops")", .reason = "Copied"});
  PutCsv("t2", "b.v1", {.reason = "Copied"});
  const OutlookMapPtr map = Now();
  ASSERT_EQ(map->size(), 1u);
  EXPECT_EQ(map->begin()->second->phase, CleanupPhase::kReady);
}

TEST_F(OutlooksTest, R_000_59_OthersStandInTheWay) {
  PutNamespace("ops");
  PutGroup("ops", "{}", R"([""])");
  PutCsv("ops", "a.v1", {.owned = {"as.x.io"}});
  EXPECT_EQ(PhaseOf("ops", "a.v1"), CleanupPhase::kReady);
  const auto objects = [this] {
    const auto& blockers = Now()->at({"ops", "a.v1"})->blockers;
    return blockers.empty() ? std::vector<std::string>() : blockers.front().objects;
  };
  PutCsv("else", "b.v1", {.owned = {"as.x.io"}});
  EXPECT_THAT(objects(), ElementsAre("else/b.v1"));
  // Only an object with both the label and the reason is a copy for sure.
  PutCsv("else", "b.v1", {.owned = {"as.x.io"}, .reason = "Copied"});
  EXPECT_THAT(objects(), ElementsAre("else/b.v1"));
  PutCsv("else", "b.v1",
         {.owned = {"as.x.io"}, .labels = R"("olm.copiedFrom":"ops")", .reason = "Copied"});
  EXPECT_THAT(objects(), IsEmpty());
  PutCsv("else", "b.v1", {.required = {"as.x.io"}});
  EXPECT_THAT(objects(), ElementsAre("else/b.v1"));
  PutCsv("else", "b.v1", {.replaces = "a.v1"});
  EXPECT_THAT(objects(), IsEmpty()) << "of another namespace";
  PutCsv("ops", "a.v2", {.replaces = "a.v1"});
  EXPECT_THAT(objects(), ElementsAre("ops/a.v2"));
  Remove(kCsvSource, {"ops", "a.v2"});
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_F(OutlooksTest, NamespacesAndGroups) {
  PutCsv("ops", "a.v1");
  EXPECT_EQ(PhaseOf("ops", "a.v1"), CleanupPhase::kRefused);
  PutNamespace("ops");
  PutNamespace("t1", R"("x":"")");
  PutGroup("ops", R"({"selector":{"matchLabels":{"x":""}}})", R"(["t1"])");
  EXPECT_EQ(PhaseOf("ops", "a.v1"), CleanupPhase::kReady);
  EXPECT_THAT(Now()->at({"ops", "a.v1"})->targets.names(), ElementsAre("t1"));
  PutNamespace("t1");
  EXPECT_THAT(Now()->at({"ops", "a.v1"})->targets.names(), IsEmpty());
  PutGroup("ops", "{}", "[]");
  EXPECT_EQ(PhaseOf("ops", "a.v1"), CleanupPhase::kUnknown);
  PutGroup("ops", "{}", R"([""])");
  EXPECT_EQ(PhaseOf("ops", "a.v1"), CleanupPhase::kReady);
  PutNamespace("ops", "", "Terminating");
  EXPECT_EQ(PhaseOf("ops", "a.v1"), CleanupPhase::kRefused);
}

TEST_F(OutlooksTest, WhatDidNotChangeIsTheSame) {
  PutNamespace("ops");
  PutGroup("ops", "{}", R"([""])");
  PutCsv("ops", "a.v1", {.owned = {"as.x.io"}});
  PutCsv("ops", "b.v1", {.owned = {"bs.x.io"}});
  const OutlookMapPtr before = Now();
  writer_.Progress(kCsvSource, ++revision_);
  EXPECT_EQ(Now(), before) << "another World of the same objects";
  PutNamespace("other");
  EXPECT_EQ(Now(), before) << "nothing that shows";
  PutCsv("ops", "b.v1", {.owned = {"bs.x.io"}, .labels = R"("l":"")"});
  const OutlookMapPtr after = Now();
  EXPECT_EQ(after->at({"ops", "a.v1"}), before->at({"ops", "a.v1"}));
  EXPECT_NE(*after->at({"ops", "b.v1"}), *before->at({"ops", "b.v1"}));
}

// In a random history, read at random moments and also in the past, remembered outlooks equal those
// computed afresh.
TEST_F(OutlooksTest, RememberedOrNotItIsTheSame) {
  const Seeds seeds = SeedsOr({0, 20});
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&random](std::vector<std::string> of) { return of[random() % of.size()]; };
    std::vector<StateVector> vectors;
    for (int step = 0; step < 60; ++step) {
      const std::string ns = pick({"a", "b", "c"});
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          PutCsv(ns, pick({"x", "y"}),
                 {.owned = {pick({"ks.x.io", "ls.x.io", "ms.x.io"})},
                  .required = {pick({"ks.x.io", "ns.x.io"})},
                  .replaces = pick({"", "x", "y"}),
                  .reason = pick({"Copied", "InstallSucceeded", "InstallSucceeded"})});
          break;
        case 3:
          Remove(kCsvSource, {ns, pick({"x", "y"})});
          break;
        case 4:
          PutGroup(ns, pick({"{}", R"({"selector":{"matchLabels":{"x":""}}})"}),
                   pick({R"([""])", "[]", R"(["a"])"}));
          break;
        case 5:
          Remove(kOperatorGroupSource, {ns, "g"});
          break;
        default:
          PutNamespace(ns, pick({"", R"("x":"")"}), pick({"Active", "Active", "Terminating"}));
      }
      WorldPtr world = writer_.Snapshot();
      vectors.push_back(world->Vector());
      if (random() % 3 != 0) continue;
      if (random() % 2 == 0) {
        world = RunOn(io_, Rewind(world, vectors[random() % vectors.size()]));
      }
      CleanupOutlooks afresh;
      const OutlookMapPtr want = afresh.Of(world);
      const OutlookMapPtr got = outlooks_.Of(world);
      ASSERT_EQ(got->size(), want->size());
      for (const auto& [key, outlook] : *want) {
        ASSERT_TRUE(got->contains(key)) << key.ns << "/" << key.name;
        ASSERT_EQ(*got->at(key), *outlook) << "seed " << seed << ": " << key.ns << "/" << key.name;
      }
    }
  }
}

TEST_F(OutlooksTest, ManyReadersAtOnce) {
  PutNamespace("ops");
  PutGroup("ops", "{}", R"([""])");
  std::vector<WorldPtr> worlds;
  for (int i = 0; i < 30; ++i) {
    PutCsv("ops", StrCat("n", i));
    worlds.push_back(writer_.Snapshot());
  }
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([this, &worlds] {
      for (size_t i = 0; i < worlds.size(); ++i) {
        EXPECT_EQ(outlooks_.Of(worlds[i])->size(), i + 1);
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace steward::storage
