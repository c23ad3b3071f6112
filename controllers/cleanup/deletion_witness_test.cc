#include "controllers/cleanup/deletion_witness.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/client/object_meta.h"

namespace steward::controllers {
namespace {

using olm::DeletionMode;

struct State {
  bool deleting = false;
  std::vector<std::string> finalizers = {};
  bool listed = false;
  std::string uid = "u";
};

TEST(DeletionWitnessTest, TellsHowAnObjectWasDeleted) {
  const State alive;
  const State plain = {.deleting = true, .finalizers = {"steward"}};
  const State orphan = {.deleting = true, .finalizers = {"steward", "orphan"}};
  const State foreground = {.deleting = true, .finalizers = {"foregroundDeletion", "steward"}};
  State listed_alive = alive;
  listed_alive.listed = true;
  State listed = plain;
  listed.listed = true;
  State another = plain;
  another.uid = "v";
  struct Row {
    const char* name;
    std::vector<State> states;
    DeletionMode want;
  };
  for (const Row& row : {
           Row{"nothing seen", {}, DeletionMode::kNotShownYet},
           Row{"alive", {alive}, DeletionMode::kNotShownYet},
           Row{"plain", {alive, plain}, DeletionMode::kBackground},
           Row{"alive in a list is enough", {listed_alive, plain}, DeletionMode::kBackground},
           Row{"orphan", {alive, orphan}, DeletionMode::kOrphan},
           Row{"the garbage collector was quick", {alive, orphan, plain}, DeletionMode::kOrphan},
           Row{"foreground", {alive, foreground, plain}, DeletionMode::kForeground},
           Row{"asked for later", {alive, plain, orphan, plain}, DeletionMode::kOrphan},
           Row{"deleted when first seen", {plain}, DeletionMode::kUnseen},
           Row{"a list between", {alive, listed}, DeletionMode::kUnseen},
           Row{"a list later", {alive, plain, listed}, DeletionMode::kBackground},
           Row{"a list may show it, too", {orphan, listed}, DeletionMode::kOrphan},
           Row{"another object", {alive, another}, DeletionMode::kNotShownYet},
       }) {
    DeletionWitness witness;
    for (const State& state : row.states) {
      kube::ObjectMeta meta;
      meta.name = {"ops", "etcd.v1"};
      meta.uid = state.uid;
      meta.deleting = state.deleting;
      meta.finalizers = state.finalizers;
      witness.Note(meta.name, &meta, state.listed);
    }
    EXPECT_EQ(witness.ModeOf({"ops", "etcd.v1"}, "u"), row.want) << row.name;
  }
}

TEST(DeletionWitnessTest, ForgetsWhatIsGone) {
  DeletionWitness witness;
  kube::ObjectMeta meta;
  meta.name = {"ops", "etcd.v1"};
  meta.uid = "u";
  meta.deleting = true;
  witness.Note(meta.name, &meta, false);
  witness.Note(meta.name, nullptr, false);
  EXPECT_EQ(witness.ModeOf(meta.name, "u"), DeletionMode::kNotShownYet);
}

}  // namespace
}  // namespace steward::controllers
