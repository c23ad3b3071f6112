// Tests of clients that take what they asked for slowly, or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <string>
#include <vector>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http2/http2_connection_fixture.h"
#include "apiserver/http/http2/http2_test_client.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

using ::testing::Optional;

TEST_F(Http2ConnectionTest, FlowControlHoldsTheHandler) {
  Open({}, false);
  const int32_t id = client_->Request("GET", "/stream");
  Exchange();
  // The client's default window, 64 KiB - 1, is full, and little more may wait behind it.
  EXPECT_EQ(client_->response(id).body.size(), 65535u);
  EXPECT_LE(harness_->log().writes, 2u);
  for (int i = 0; i < 200 && !client_->response(id).ended; ++i) {
    client_->ReadMore(id);
    Exchange();
  }
  EXPECT_EQ(client_->response(id).body.size(), kStreamBody);
  EXPECT_EQ(harness_->log().writes, 100u);
}

TEST_F(Http2ConnectionTest, AHandlerStaysUntilTheRestIsSmall) {
  Open({}, false);
  const int32_t id = client_->Request("GET", "/stream");
  Exchange();
  while (harness_->log().writes < 100) {
    EXPECT_EQ(harness_->log().hanging, 1);
    client_->ReadMore(id);
    Exchange();
  }
  EXPECT_EQ(harness_->log().finished, 1u);
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_FALSE(client_->response(id).ended);
  EXPECT_LE(kStreamBody - client_->response(id).body.size(), 64u << 10);
  // The waiting bytes are counted, and are still delivered.
  EXPECT_GE(harness_->request_memory(), kStreamBody - client_->response(id).body.size());
  while (!client_->response(id).ended) {
    client_->ReadMore(id);
    Exchange();
  }
  EXPECT_EQ(client_->response(id).body.size(), kStreamBody);
  EXPECT_THAT(client_->response(id).closed, Optional(0u));
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, AClientThatTakesNothingHoldsNoHandlers) {
  Open({}, false);
  client_->Request("GET", "/stream");  // as much as the connection's window takes
  Exchange();
  std::vector<int32_t> streams;
  for (int i = 0; i < 300; ++i) streams.push_back(client_->Request("GET", "/hello"));
  Exchange();
  EXPECT_EQ(harness_->log().returned, 300u);
  for (const int32_t id : streams) ASSERT_FALSE(client_->response(id).ended);
  // These responses are complete, and are given up soon.
  harness_->Tick(12);
  Exchange();
  for (const int32_t id : streams) {
    ASSERT_THAT(client_->response(id).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  }
  EXPECT_TRUE(harness_->serving());
  EXPECT_EQ(harness_->log().hanging, 1) << "the one that goes on";
}

TEST_F(Http2ConnectionTest, ATrickleIsNoProgress) {
  Open({}, false);
  const int32_t id = client_->Request("GET", "/stream");
  Exchange();
  for (int i = 0; i < 200 && !client_->response(id).closed; ++i) {
    client_->Widen(id, 100);
    Exchange();
    harness_->Tick(1);
    Exchange();
  }
  EXPECT_THAT(client_->response(id).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(harness_->log().hanging, 0);
}

TEST_F(Http2ConnectionTest, AStalledStreamIsResetInTime) {
  Open({}, false);
  const int32_t stalled = client_->Request("GET", "/stream");
  Exchange();
  harness_->Tick(59);
  Exchange();
  EXPECT_EQ(client_->response(stalled).closed, std::nullopt);
  harness_->Tick(3);
  Exchange();
  EXPECT_THAT(client_->response(stalled).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_TRUE(harness_->serving());
}

// The answer's handler holds a place, and other requests wait at most 15 s for a place.
TEST_F(Http2ConnectionTest, AStalledAnswerThatIsNoWatchEndsSoon) {
  Open({}, false);
  const int32_t stalled = client_->Request("GET", "/length");
  Exchange();
  harness_->Tick(9);
  Exchange();
  EXPECT_EQ(client_->response(stalled).closed, std::nullopt);
  EXPECT_EQ(harness_->log().hanging, 1);
  harness_->Tick(3);
  Exchange();
  EXPECT_THAT(client_->response(stalled).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_TRUE(harness_->serving());
}

// A watch holds a place, too, until it has sent its initial events.
TEST_F(Http2ConnectionTest, AStalledWatchThatStartsEndsSoon) {
  Open({}, false);
  const int32_t starting = client_->Request("GET", "/start");
  Exchange();
  harness_->Tick(9);
  Exchange();
  EXPECT_EQ(client_->response(starting).closed, std::nullopt);
  harness_->Tick(3);
  Exchange();
  EXPECT_THAT(client_->response(starting).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(harness_->log().hanging, 0);
}

TEST_F(Http2ConnectionTest, AHandlerIsNotHeldByATrickle) {
  struct Row {
    std::string path;
    size_t rate;
    bool held;
  };
  for (const Row& row : {Row{"/length", 8 << 10, false}, Row{"/length", 20 << 10, true},
                         Row{"/stream", 8 << 10, true}}) {
    SCOPED_TRACE(row.path + StrCat(" ", row.rate));
    Open({}, false);
    const int32_t id = client_->Request("GET", row.path);
    Exchange();
    for (int i = 0; i < 30; ++i) {
      client_->Widen(id, static_cast<int32_t>(row.rate));
      Exchange();
      harness_->Tick(1);
      Exchange();
    }
    EXPECT_EQ(client_->response(id).closed.has_value(), !row.held);
    EXPECT_EQ(harness_->log().hanging, row.held ? 1 : 0);
  }
}

TEST_F(Http2ConnectionTest, NoHandlerStaysForBytesThatOthersHoldToo) {
  Open({}, false);
  const int32_t id = client_->Request("GET", "/spliced");
  Exchange();
  EXPECT_EQ(harness_->log().returned, 1u);
  EXPECT_EQ(harness_->log().hanging, 0);
  EXPECT_GE(harness_->request_memory(), 64u << 10);
  EXPECT_LT(harness_->request_memory(), 100u << 10);
  // The client may take the rest slowly now.
  for (int i = 0; i < 30; ++i) {
    client_->Widen(id, 2 << 10);
    Exchange();
    harness_->Tick(1);
  }
  while (!client_->response(id).ended) {
    ASSERT_EQ(client_->response(id).closed, std::nullopt);
    client_->ReadMore(id);
    Exchange();
  }
  EXPECT_EQ(client_->response(id).body.size(), (1u << 20) + (64u << 10));
  EXPECT_EQ(harness_->request_memory(), 0u);
}

TEST_F(Http2ConnectionTest, WhatWaitsForWatchesIsBounded) {
  for (const bool front_proxy : {false, true}) {
    SCOPED_TRACE(front_proxy);
    Limits limits;
    limits.max_request_memory = 1 << 20;
    Open(front_proxy ? FrontProxyLimits(limits) : limits, false, front_proxy);
    std::vector<int32_t> streams;
    for (int i = 0; i < 10; ++i) {
      streams.push_back(client_->Request("GET", "/chatter"));
      Exchange();
    }
    // The connection's window takes the first one's text but a byte; three more fit into a fourth
    // of the memory.
    for (size_t i = 0; i < streams.size(); ++i) {
      EXPECT_EQ(client_->response(streams[i]).closed.has_value(), i >= 4) << i;
    }
    EXPECT_EQ(harness_->watches_reset(), 6u);
    EXPECT_EQ(harness_->log().hanging, 4);
    EXPECT_EQ(Get("/hello").status, 200);
    client_->Reset(streams[1], NGHTTP2_CANCEL);
    const int32_t next = client_->Request("GET", "/chatter");
    Exchange();
    EXPECT_EQ(client_->response(next).closed, std::nullopt);
    harness_->End();
    EXPECT_EQ(harness_->request_memory(), 0u);
  }
}

TEST_F(Http2ConnectionTest, AWatchThatIsReadHoldsNoMemory) {
  Open();
  const int32_t watch = client_->Request("GET", "/chatter");
  Exchange();
  EXPECT_EQ(client_->response(watch).body.size(), 64u << 10);
  EXPECT_LT(harness_->request_memory(), 8u << 10);
}

TEST_F(Http2ConnectionTest, ABlockedSocketHoldsNoHandlerForLong) {
  Open();
  harness_->stream().HoldWrites(true);
  const int32_t stalled = client_->Request("GET", "/length");
  harness_->Feed(client_->TakeOutput());
  EXPECT_EQ(harness_->log().hanging, 1);
  harness_->Tick(12);
  EXPECT_EQ(harness_->log().hanging, 0);
  harness_->stream().HoldWrites(false);
  harness_->Run();
  Exchange();
  EXPECT_THAT(client_->response(stalled).closed, Optional<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(Get("/hello").status, 200);
  EXPECT_EQ(client_->goaway(), std::nullopt);
}

TEST_F(Http2ConnectionTest, ABlockedSocketHoldsTheHandlers) {
  Open();
  harness_->stream().HoldWrites(true);
  client_->Request("GET", "/stream");
  harness_->Feed(client_->TakeOutput());
  EXPECT_LE(harness_->stream().TakeOutput().size(), 200u << 10);
  EXPECT_LE(harness_->log().writes, 3u);
}

}  // namespace
}  // namespace steward::http
