#include "apiserver/http/http2/http2_stream_history.h"

#include <gtest/gtest.h>

namespace steward::http {
namespace {

using Verdict = Http2StreamHistory::Verdict;

TEST(Http2StreamHistoryTest, NothingIsPastAtFirst) {
  Http2StreamHistory history;
  EXPECT_FALSE(history.IsPast(1));
  history.Opened(5);
  EXPECT_TRUE(history.IsPast(5));
  EXPECT_TRUE(history.IsPast(1));
  EXPECT_FALSE(history.IsPast(7));
}

TEST(Http2StreamHistoryTest, WhoEndedAStreamMatters) {
  Http2StreamHistory history;
  history.Opened(1);
  history.Opened(5);
  history.EndedByClient(1);
  EXPECT_EQ(history.Judge(1), Verdict::kEnded);
  EXPECT_EQ(history.Judge(5), Verdict::kLate);
  EXPECT_EQ(history.Judge(3), Verdict::kUnused);
}

TEST(Http2StreamHistoryTest, OldStreamsAreForgotten) {
  Http2StreamHistory history;
  history.Opened(1);
  history.EndedByClient(1);
  for (int32_t id = 5; id < 5 + 4 * 64; id += 4) history.Opened(id);
  EXPECT_EQ(history.Judge(1), Verdict::kLate);
  EXPECT_EQ(history.Judge(3), Verdict::kLate);
  EXPECT_EQ(history.Judge(5), Verdict::kLate);
  EXPECT_EQ(history.Judge(7), Verdict::kUnused);
}

}  // namespace
}  // namespace steward::http
