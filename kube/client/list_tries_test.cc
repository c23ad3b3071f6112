#include "kube/client/list_tries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const absl::Status kFine = absl::OkStatus();
const absl::Status kBroken = absl::UnavailableError("the webhook is dead");
const absl::Status kExpired = ToStatus(Expired("too old"));
const absl::Status kForbidden = ToStatus(Forbidden({"example.com", "v1", "widgets"}, "", "no"));

// Answers each call with the next result, the last for ever.
class Answers {
 public:
  explicit Answers(std::vector<absl::Status> results) : results_(std::move(results)) {}

  StatusTask Next(std::string version) {
    calls_.push_back(std::move(version));
    const size_t at = std::min(calls_.size(), results_.size()) - 1;
    co_return results_[at];
  }
  const std::vector<std::string>& calls() const { return calls_; }

 private:
  const std::vector<absl::Status> results_;
  std::vector<std::string> calls_;
};

TEST(ListTriesTest, AnExpiredListBeginsAgainFourTimesAtMost) {
  struct Case {
    std::vector<absl::Status> results;
    size_t calls;
    absl::Status result;
  };
  const Case cases[] = {
      {{kFine}, 1, kFine},
      {{kBroken, kFine}, 1, kBroken},
      {{kExpired, kExpired, kFine}, 3, kFine},
      {{kExpired, kBroken}, 2, kBroken},
      {{kExpired}, 4, kExpired},
  };
  for (const Case& each : cases) {
    boost::asio::io_context io(1);
    Answers answers(each.results);
    EXPECT_EQ(RunOn(io, RestartExpired([&answers] { return answers.Next(""); })), each.result);
    EXPECT_EQ(answers.calls().size(), each.calls);
  }
}

TEST(ListTriesTest, VersionsAreTriedUntilOneAnswers) {
  struct Case {
    std::vector<absl::Status> results;
    std::vector<std::string> calls;
    absl::Status result;
  };
  const Case cases[] = {
      {{kFine}, {"v2"}, kFine},
      {{kBroken, kFine}, {"v2", "v1"}, kFine},
      {{kBroken, kForbidden}, {"v2", "v1"}, kBroken},
      {{kBroken, kExpired}, {"v2", "v1"}, kExpired},
      {{kForbidden}, {"v2", "v1"}, kForbidden},
      {{kForbidden, kFine}, {"v2", "v1"}, kFine},
      {{kExpired}, {"v2"}, kExpired},
  };
  for (const Case& each : cases) {
    boost::asio::io_context io(1);
    Answers answers(each.results);
    const auto list = [&answers](std::string version) { return answers.Next(std::move(version)); };
    EXPECT_EQ(RunOn(io, ListByAnyVersion({"v2", "v1"}, list)), each.result);
    EXPECT_EQ(answers.calls(), each.calls);
  }
}

TEST(ListTriesTest, WithoutVersionsNothingIsListed) {
  boost::asio::io_context io(1);
  Answers answers({kFine});
  const auto list = [&answers](std::string version) { return answers.Next(std::move(version)); };
  EXPECT_TRUE(absl::IsUnavailable(RunOn(io, ListByAnyVersion({}, list))));
  EXPECT_THAT(answers.calls(), IsEmpty());
}

}  // namespace
}  // namespace steward::kube
