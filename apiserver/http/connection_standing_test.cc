#include "apiserver/http/connection_standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace steward::http {
namespace {

class ConnectionStandingTest : public ::testing::Test {
 protected:
  // Those closed one after the other until none is left.
  std::string CloseAll() {
    closed_.clear();
    while (strangers_.CloseFirst()) {
    }
    return closed_;
  }

  std::string closed_;
  IdleStrangers strangers_;
  ConnectionStanding a_{strangers_, [this] { closed_ += "a"; }};
  ConnectionStanding b_{strangers_, [this] { closed_ += "b"; }};
  std::optional<ConnectionStanding> c_{std::in_place, strangers_, [this] { closed_ += "c"; }};
};

TEST_F(ConnectionStandingTest, TheLongestIdleGoesFirst) {
  EXPECT_EQ(CloseAll(), "abc");
  EXPECT_EQ(CloseAll(), "") << "each once";
}

TEST_F(ConnectionStandingTest, ARequestThatRunsProtects) {
  a_.Busy();
  a_.Busy();
  EXPECT_EQ(CloseAll(), "bc");
  a_.Idle(false);
  EXPECT_EQ(CloseAll(), "a");
}

TEST_F(ConnectionStandingTest, WhoWasIdleLateGoesLate) {
  a_.Busy();
  a_.Idle(false);
  EXPECT_EQ(CloseAll(), "bca");
}

TEST_F(ConnectionStandingTest, WhoIsKnownStays) {
  b_.Busy();
  b_.Idle(true);
  a_.Idle(true);
  EXPECT_EQ(CloseAll(), "c");
}

TEST_F(ConnectionStandingTest, WhoIsGoneIsForgotten) {
  c_.reset();
  EXPECT_EQ(CloseAll(), "ab");
}

}  // namespace
}  // namespace steward::http
