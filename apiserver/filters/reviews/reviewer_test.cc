#include "apiserver/filters/reviews/reviewer.h"

#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "apiserver/filters/reviews/review_metrics.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
#include "kube/client/rest_options.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"

namespace steward::filters {
namespace {

using Verb = kube::FakeClient::Verb;

// The kube-apiserver answers nothing until it is told to.
class ReviewerTest : public ::testing::Test {
 protected:
  ReviewerTest() {
    client_.Serve(kube::kSubjectAccessReviews);
    client_.HandleCreate(kube::kSubjectAccessReviews,
                         [](const boost::json::value& review) { return review; });
    client_.Hold(Verb::kCreate, kube::kSubjectAccessReviews);
  }
  ~ReviewerTest() override {
    client_.ForgetFaults(kube::kSubjectAccessReviews);
    RunOn(io_, group_.Stop());
  }

  void Ask(const std::string& user, size_t times, bool stranger = false) {
    for (size_t i = 0; i < times; ++i) group_.Spawn(user, One(user, stranger));
    Settle();
  }
  VoidTask One(std::string user, bool stranger) {
    ReviewOrigin origin{.flow = {.name = user, .stranger = stranger}, .traceparent = ""};
    const absl::StatusOr<boost::json::value> answer = co_await reviewer_.Review(
        std::move(origin), kube::kSubjectAccessReviews, boost::json::object());
    ++(answer.ok() ? answered_ : refused_)[user];
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }
  size_t asked() {
    return static_cast<size_t>(client_.calls(Verb::kCreate, kube::kSubjectAccessReviews));
  }

  const ReviewerOptions options_;
  boost::asio::io_context io_;
  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient client_;
  prometheus::Registry registry_;
  ReviewMetrics metrics_{registry_, ReviewMetrics::Kind::kAuthorization};
  PoolMetrics pools_{registry_};
  Reviewer reviewer_{client_, clock_, random_, metrics_, pools_, "reviews"};
  std::map<std::string, size_t> answered_, refused_;
  TaskGroup group_{io_.get_executor()};
};

// Connections are given in order of arrival, so no review may have to wait for one.
TEST_F(ReviewerTest, EveryReviewHasAConnection) {
  EXPECT_LE(options_.places + options_.stranger_places,
            kube::RestClientOptions().transport.connections.max_connections);
  Ask("greedy", 2 * options_.places);
  Ask("10.0.0.1", 2 * options_.places, /*stranger=*/true);
  EXPECT_LE(asked(), kube::RestClientOptions().transport.connections.max_connections);
}

TEST_F(ReviewerTest, AnotherUserIsAskedAboutAtOnce) {
  Ask("greedy", options_.places * options_.waiting_per_place / 2);
  const size_t before = asked();
  EXPECT_LT(before, options_.places) << "the reserve";
  Ask("modest", 1);
  EXPECT_EQ(asked(), before + 1);
  // The modest user gets the next free places, although hundreds of reviews wait before this
  // user's.
  Ask("modest", 20);
  client_.Release(Verb::kCreate, kube::kSubjectAccessReviews);
  client_.Hold(Verb::kCreate, kube::kSubjectAccessReviews);
  Settle();
  EXPECT_GE(answered_["modest"], 1u);
  client_.ForgetFaults(kube::kSubjectAccessReviews);
  Settle();
  EXPECT_EQ(answered_["modest"], 21u);
  EXPECT_EQ(refused_["modest"], 0u);
  EXPECT_EQ(answered_["greedy"], options_.places * options_.waiting_per_place / 2);
}

TEST_F(ReviewerTest, WhoAsksTooMuchIsRefused) {
  const size_t room = options_.places + options_.places * options_.waiting_per_place / 2;
  Ask("greedy", 2 * room);
  EXPECT_GE(refused_["greedy"], room);
  Ask("modest", 100);
  EXPECT_EQ(refused_["modest"], 0u);
}

}  // namespace
}  // namespace steward::filters
