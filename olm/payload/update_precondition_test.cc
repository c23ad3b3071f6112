#include "olm/payload/update_precondition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "olm/payload/removal.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Removal Of(const std::string& name, RemovalState state, const std::string& version) {
  return {{"", "ConfigMap", "n", name}, "uid", true, state, absl::UnixEpoch(), version, ""};
}
PayloadManifest Deletion(const std::string& name) {
  PayloadManifest manifest;
  manifest.where = name + ".yaml:1";
  manifest.identity = {"", "ConfigMap", "n", name};
  manifest.deletes = true;
  return manifest;
}

class UpdatePreconditionTest : public ::testing::Test {
 protected:
  std::vector<std::string> Ask(const std::string& to, bool allow_stale = false) {
    const ReleaseVersion version = *ReleaseVersion::Parse(to);
    return ReasonsNotToUpdate({record_, version, manifests_, operators_, allow_stale});
  }
  void Put(const Removal& removal) { record_.removals[removal.identity] = removal; }

  PayloadRecord record_;
  std::vector<PayloadManifest> manifests_;
  std::vector<std::string> operators_;
};

TEST_F(UpdatePreconditionTest, R_003_20_37_49_OnlyMinorUpdatesAreRefused) {
  operators_ = {"ClusterOperator a: Old: take it off"};
  EXPECT_THAT(Ask("4.5.0"), IsEmpty()) << "an installation";
  record_.version = "4.5.3";
  Put(Of("held", RemovalState::kOngoing, "4.5.0"));
  Put(Of("refused", RemovalState::kFailed, "4.5.0"));
  Put(Of("back", RemovalState::kReappeared, "4.5.0"));
  for (const char* to : {"4.5.3", "4.5.4", "4.5.1", "4.4.9", "3.9.0"}) {
    EXPECT_THAT(Ask(to), IsEmpty()) << to;
  }
  for (const char* to : {"4.6.0", "5.0.0", "4.10.0-rc.1"}) {
    EXPECT_THAT(Ask(to),
                ElementsAre(HasSubstr("ConfigMap \"n/held\""), HasSubstr("ConfigMap \"n/refused\""),
                            "Upgradeable=False: ClusterOperator a: Old: take it off"))
        << to;
  }
  // A version that nobody can compare is no reason to go on.
  record_.version = "nightly";
  EXPECT_FALSE(Ask("4.5.4").empty());
}

TEST_F(UpdatePreconditionTest, R_003_35_48_StaleDeletions) {
  record_.version = "4.5.3";
  Put(Of("old", RemovalState::kCompleted, "4.5.0"));
  Put(Of("back", RemovalState::kReappeared, "4.5.0"));
  Put(Of("odd", RemovalState::kCompleted, "nightly"));
  manifests_ = {Deletion("old"), Deletion("back"), Deletion("new"), Deletion("odd")};
  EXPECT_THAT(Ask("4.5.4"), IsEmpty());
  EXPECT_THAT(Ask("4.6.0"), ElementsAre(HasSubstr("old.yaml:1: ConfigMap \"n/old\"")));
  EXPECT_THAT(Ask("4.6.0", /*allow_stale=*/true), IsEmpty());
  manifests_.erase(manifests_.begin());
  EXPECT_THAT(Ask("4.6.0"), IsEmpty());
}

}  // namespace
}  // namespace steward::olm
