#include "apiserver/http/websocket/websocket_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http1/http1_connection.h"
#include "apiserver/http/websocket/websocket_frames.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kOrigin[] = "Origin: http://localhost\r\n";

// The key and its answer are RFC 6455's example.
std::string Upgrade(std::string_view path, std::string_view fields = kOrigin) {
  return StrCat("GET ", path,
                " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
                fields, "\r\n");
}

const std::vector<Frame> kEvents = {Whole(kText, "one\n"), Whole(kText, "two\n")};

std::vector<Frame> After(std::vector<Frame> frames, const std::vector<Frame>& more) {
  frames.insert(frames.end(), more.begin(), more.end());
  return frames;
}

class WebSocketTest : public ::testing::Test {
 protected:
  // The frames written since the last call; the 101 is removed first.
  std::vector<Frame> Frames(ConnectionHarness& harness) {
    std::string output = harness.stream().TakeOutput();
    if (output.starts_with("HTTP/1.1 ")) {
      const size_t end = output.find("\r\n\r\n") + 4;
      head_ = output.substr(0, end);
      output.erase(0, end);
    }
    return ServerFrames(output);
  }
  // Performs the handshake and checks both events.
  void Open(ConnectionHarness& harness, std::string_view path = "/events") {
    harness.Feed(Upgrade(path));
    ASSERT_EQ(Frames(harness), kEvents);
    ASSERT_THAT(head_, StartsWith("HTTP/1.1 101 "));
  }

  std::string head_;
};

TEST_F(WebSocketTest, Handshake) {
  ConnectionHarness harness(MakeHttp1Connection);
  Open(harness);
  EXPECT_THAT(
      head_, AllOf(StartsWith("HTTP/1.1 101 Switching Protocols\r\n"),
                   HasSubstr("Upgrade: websocket\r\n"), HasSubstr("Connection: upgrade\r\n"),
                   HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
                   HasSubstr("X-Bad: a  Injected: b\r\n"), Not(HasSubstr("Sec-WebSocket-Protocol")),
                   Not(HasSubstr("Sec-WebSocket-Extensions")), Not(HasSubstr("Beast"))));
  EXPECT_TRUE(harness.log().last.websocket);
  EXPECT_EQ(harness.log().hanging, 1);
}

TEST_F(WebSocketTest, SubprotocolIsEchoed) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/events", StrCat(kOrigin,
                                         "Sec-WebSocket-Protocol: base64.binary.k8s.io\r\n"
                                         "Sec-WebSocket-Extensions: permessage-deflate\r\n")));
  EXPECT_EQ(Frames(harness), kEvents);
  EXPECT_THAT(head_, HasSubstr("Sec-WebSocket-Protocol: base64.binary.k8s.io\r\n"));
  EXPECT_THAT(head_, Not(HasSubstr("Sec-WebSocket-Extensions")));
}

TEST_F(WebSocketTest, RefusalsAreOrdinaryAnswers) {
  const struct {
    std::string fields;
    std::string status;
  } kRows[] = {
      {"", "HTTP/1.1 403 Forbidden\r\n"},
      {StrCat(kOrigin, "Sec-WebSocket-Protocol: a,b\r\n"), "HTTP/1.1 400 Bad Request\r\n"},
  };
  for (const auto& row : kRows) {
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(Upgrade("/events", row.fields));
    const std::string output = harness.stream().TakeOutput();
    EXPECT_THAT(output, AllOf(StartsWith(row.status), HasSubstr("Sec-WebSocket-Version: 13\r\n")));
    // The connection is as usable as before.
    harness.Feed("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(harness.stream().TakeOutput(),
                AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("hello\n")));
    EXPECT_TRUE(harness.serving());
  }
}

TEST_F(WebSocketTest, WhatIsNoStreamOfMessagesIsAnsweredPlainly) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/hello") + Upgrade("/silent") + Upgrade("/hello"));
  const std::string output = harness.stream().TakeOutput();
  EXPECT_THAT(output, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(output, HasSubstr("HTTP/1.1 500 "));
  EXPECT_THAT(output, EndsWith("\r\n\r\nhello\n"));
  EXPECT_TRUE(harness.serving());
  EXPECT_EQ(harness.request_memory(), 0u);
}

TEST_F(WebSocketTest, OthersGetAStream) {
  for (const char* request :
       {"GET /ended HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /ended HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        "GET /ended HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n"}) {
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(request);
    const std::string output = harness.stream().TakeOutput();
    EXPECT_THAT(output, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(output, EndsWith("\r\n\r\n4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n"));
    EXPECT_TRUE(harness.serving());
  }
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed("GET /ended HTTP/1.0\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_THAT(harness.stream().TakeOutput(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

struct Row {
  std::string name;
  std::string input;
  std::vector<Frame> answers;
  bool open;  // afterwards
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class WebSocketInputTest : public WebSocketTest, public ::testing::WithParamInterface<Row> {};

// The answers are the same however the bytes are cut, and even if they come with the request.
TEST_P(WebSocketInputTest, IsAnswered) {
  const Row& row = GetParam();
  for (const size_t piece : {row.input.size(), size_t{1}, size_t{5}, size_t{1000}}) {
    SCOPED_TRACE(piece);
    if (row.input.size() / piece > 1000) continue;
    ConnectionHarness harness(MakeHttp1Connection);
    Open(harness);
    const size_t memory = harness.request_memory();
    for (size_t at = 0; at < row.input.size(); at += piece) {
      harness.Feed(row.input.substr(at, piece));
    }
    EXPECT_EQ(Frames(harness), row.answers);
    EXPECT_EQ(harness.serving(), row.open);
    EXPECT_EQ(harness.log().hanging, row.open ? 1 : 0);
    EXPECT_EQ(harness.request_memory(), row.open ? memory : 0u);
    // The client can read the reason of the end.
    EXPECT_FALSE(harness.stream().aborted());
  }
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/events") + row.input);
  std::vector<Frame> frames = Frames(harness);
  if (row.open) {
    EXPECT_THAT(frames, SizeIs(2 + row.answers.size()));
  } else {
    EXPECT_EQ(frames.back(), row.answers.back());
  }
  EXPECT_EQ(harness.serving(), row.open);
}

constexpr unsigned char kFin = 0x80;

INSTANTIATE_TEST_SUITE_P(
    Taken, WebSocketInputTest,
    ::testing::Values(Row{"ping", ClientFrame(kPing, "hi"), {Whole(kPong, "hi")}, true},
                      Row{"empty ping", ClientFrame(kPing), {Whole(kPong)}, true},
                      Row{"longest ping",
                          ClientFrame(kPing, std::string(125, 'p')),
                          {Whole(kPong, std::string(125, 'p'))},
                          true},
                      Row{"pong", ClientFrame(kPong, "hi"), {}, true},
                      Row{"text", ClientFrame(kText, "hello"), {}, true},
                      Row{"binary", ClientFrame(kBinary, std::string("\0\xff", 2)), {}, true},
                      Row{"longest text", ClientFrame(kText, std::string(64 << 10, 'x')), {}, true},
                      Row{"fragments around a ping",
                          ClientFrame(kText, "a", false) + ClientFrame(kPing, "p") +
                              ClientFrame(kContinuation, "b", false) +
                              ClientFrame(kContinuation, "c") + ClientFrame(kPing, "q"),
                          {Whole(kPong, "p"), Whole(kPong, "q")},
                          true},
                      Row{"pings",
                          ClientFrame(kPing, "1") + ClientFrame(kPing, "2") +
                              ClientFrame(kPing, "3"),
                          {Whole(kPong, "1"), Whole(kPong, "2"), Whole(kPong, "3")},
                          true},
                      Row{"half a frame", ClientFrameHead(kFin | kText, 100) + "abc", {}, true}),
    [](const auto& info) { return StrCat("n", info.index); });

INSTANTIATE_TEST_SUITE_P(
    Ending, WebSocketInputTest,
    ::testing::Values(
        Row{"close", ClientFrame(kClose, CloseCode(1000)), {Whole(kClose, CloseCode(1000))}, false},
        Row{"going away",
            ClientFrame(kClose, CloseCode(1001) + "bye"),
            {Whole(kClose, CloseCode(1001))},
            false},
        Row{"close without a code", ClientFrame(kClose), {Whole(kClose, CloseCode(1000))}, false},
        Row{"ping and close",
            ClientFrame(kPing, "p") + ClientFrame(kClose, CloseCode(1000)),
            {Whole(kPong, "p"), Whole(kClose, CloseCode(1000))},
            false},
        Row{"bad close code",
            ClientFrame(kClose, CloseCode(1005)),
            {Whole(kClose, CloseCode(1002))},
            false},
        Row{"half a close code", ClientFrame(kClose, "x"), {Whole(kClose, CloseCode(1002))}, false},
        Row{"not masked",
            ClientFrameHead(kFin | kText, 2, false) + "hi",
            {Whole(kClose, CloseCode(1002))},
            false},
        Row{"reserved bit", ClientFrameHead(0xc1, 0), {Whole(kClose, CloseCode(1002))}, false},
        Row{"unknown opcode", ClientFrameHead(0x83, 0), {Whole(kClose, CloseCode(1002))}, false},
        Row{"long ping",
            ClientFrameHead(kFin | kPing, 126),
            {Whole(kClose, CloseCode(1002))},
            false},
        Row{"ping in fragments",
            ClientFrame(kPing, "p", false),
            {Whole(kClose, CloseCode(1002))},
            false},
        Row{"nothing to continue",
            ClientFrame(kContinuation, "x"),
            {Whole(kClose, CloseCode(1002))},
            false},
        Row{"text within a text",
            ClientFrame(kText, "a", false) + ClientFrame(kText, "b"),
            {Whole(kClose, CloseCode(1002))},
            false},
        Row{"too long a frame",
            ClientFrameHead(kFin | kText, (64 << 10) + 1),
            {Whole(kClose, CloseCode(1009))},
            false},
        Row{"absurdly long",
            ClientFrameHead(kFin | kBinary, size_t{1} << 62),
            {Whole(kClose, CloseCode(1009))},
            false},
        Row{"too long in all",
            ClientFrame(kBinary, std::string(40 << 10, 'x'), false) +
                ClientFrameHead(kContinuation, 40 << 10),
            {Whole(kClose, CloseCode(1009))},
            false},
        Row{"no UTF-8", ClientFrame(kText, "\xff\xff"), {Whole(kClose, CloseCode(1007))}, false},
        Row{"an HTTP request",
            "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n",
            {Whole(kClose, CloseCode(1002))},
            false}),
    [](const auto& info) { return StrCat("n", info.index); });

TEST_F(WebSocketTest, TheEndIsAClosingHandshake) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/ended"));
  EXPECT_EQ(Frames(harness), After(kEvents, {Whole(kClose, CloseCode(1000))}));
  EXPECT_TRUE(harness.serving());
  EXPECT_EQ(harness.log().finished, 0u);
  // These frames come too late to be answered.
  harness.Feed(ClientFrame(kText, "x") + ClientFrame(kPing, "p"));
  EXPECT_THAT(Frames(harness), IsEmpty());
  harness.Feed(ClientFrame(kClose, CloseCode(1000)));
  EXPECT_THAT(Frames(harness), IsEmpty());
  EXPECT_EQ(harness.log().finished, 1u);
  EXPECT_FALSE(harness.serving());
  EXPECT_FALSE(harness.stream().aborted());
}

TEST_F(WebSocketTest, AClientThatDoesNotCloseIsCut) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/ended"));
  harness.Tick(2);
  EXPECT_TRUE(harness.serving());
  harness.Tick(1);
  EXPECT_FALSE(harness.serving());
  EXPECT_TRUE(harness.stream().aborted());
  EXPECT_EQ(harness.log().finished, 0u);
}

TEST_F(WebSocketTest, BothCloseAtOnce) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/ended") + ClientFrame(kClose, CloseCode(1000)));
  std::vector<Frame> frames = Frames(harness);
  ASSERT_THAT(frames, Not(IsEmpty()));
  EXPECT_EQ(frames.back(), Whole(kClose, CloseCode(1000)));
  EXPECT_FALSE(harness.serving());
  EXPECT_FALSE(harness.stream().aborted());
}

TEST_F(WebSocketTest, AnAbruptEndEndsTheHandler) {
  for (const std::string& last : {std::string(), ClientFrameHead(kFin | kText, 100),
                                  ClientFrame(kText, "x", /*fin=*/false)}) {
    ConnectionHarness harness(MakeHttp1Connection);
    Open(harness);
    harness.Feed(last);
    EXPECT_EQ(harness.log().hanging, 1);
    harness.End();
    EXPECT_EQ(harness.log().hanging, 0);
    EXPECT_FALSE(harness.serving());
    EXPECT_THAT(Frames(harness), IsEmpty());
  }
}

TEST_F(WebSocketTest, MessagesWaitForTheClient) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Upgrade("/events"));
  Frames(harness);
  ConnectionHarness slow(MakeHttp1Connection);
  slow.stream().HoldWrites(true);
  slow.Feed(Upgrade("/stream"));
  EXPECT_EQ(slow.log().writes, 0u);
  EXPECT_THAT(Frames(slow), IsEmpty());
  // Pongs wait, too, and pings that arrive meanwhile are not accumulated.
  for (int i = 0; i < 1000; ++i) slow.Feed(ClientFrame(kPing, std::string(100, 'p')));
  EXPECT_EQ(slow.log().writes, 0u);
  EXPECT_THAT(Frames(slow), IsEmpty());
  slow.stream().HoldWrites(false);
  slow.Run();
  EXPECT_EQ(slow.log().writes, 100u);
  const std::vector<Frame> frames = Frames(slow);
  size_t messages = 0;
  for (const Frame& frame : frames) {
    if (frame.first != (kFin | kText)) continue;
    ++messages;
    EXPECT_EQ(frame.payload, std::string(64 << 10, 'x'));
  }
  EXPECT_EQ(messages, 100u);
  EXPECT_EQ(frames.back(), Whole(kClose, CloseCode(1000)));
}

// The stream ends like this when a client takes nothing for the write timeout.
TEST_F(WebSocketTest, ACutStreamEndsAWaitingMessage) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.stream().HoldWrites(true);
  harness.Feed(Upgrade("/stream"));
  EXPECT_EQ(harness.log().hanging, 1);
  harness.stream().Abort();
  harness.Run();
  EXPECT_EQ(harness.log().hanging, 0);
  EXPECT_FALSE(harness.serving());
}

TEST_F(WebSocketTest, PongsAreSentBetweenMessages) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.stream().HoldWrites(true);
  harness.Feed(Upgrade("/stream"));
  harness.stream().HoldWrites(false);
  harness.stream().HoldWrites(true);
  harness.Feed(ClientFrame(kPing, "in the middle"));
  harness.stream().HoldWrites(false);
  harness.Run();
  std::string output = harness.stream().TakeOutput();
  const std::vector<Frame> frames = ServerFrames(output.substr(output.find("\r\n\r\n") + 4));
  EXPECT_THAT(frames, SizeIs(102));
  EXPECT_THAT(frames, ::testing::Contains(Whole(kPong, "in the middle")));
  EXPECT_THAT(frames, Not(::testing::Contains(::testing::Field(&Frame::first, 0))));
}

TEST_F(WebSocketTest, TheServersShutdownWaitsForTheHandler) {
  ConnectionHarness harness(MakeHttp1Connection);
  Open(harness);
  harness.connection().BeginShutdown();
  harness.Run();
  EXPECT_TRUE(harness.serving());
  harness.Feed(ClientFrame(kPing, "p"));
  EXPECT_THAT(Frames(harness), ElementsAre(Whole(kPong, "p")));
  harness.Feed(ClientFrame(kClose, CloseCode(1000)));
  EXPECT_FALSE(harness.serving());
}

TEST_F(WebSocketTest, TheEndComesWhilePongsWait) {
  for (const bool released : {false, true}) {
    for (const std::string& last : {std::string(), ClientFrame(kClose), ClientFrame(kText, "x")}) {
      ConnectionHarness harness(MakeHttp1Connection);
      Open(harness);
      harness.Feed(ClientFrame(kPing, "1"));
      harness.stream().HoldWrites(true);
      harness.Feed(ClientFrame(kPing, "2"));
      harness.Feed(ClientFrame(kPing, "3") + last);
      if (released) harness.stream().HoldWrites(false);
      harness.End();
      EXPECT_FALSE(harness.serving());
      EXPECT_EQ(harness.log().hanging, 0);
      EXPECT_EQ(harness.request_memory(), 0u);
    }
  }
}

// The harness' destructor cancels everything; sanitizers would report a leak or a use after free.
TEST_F(WebSocketTest, CancelledAnywhere) {
  for (const char* path : {"/events", "/ended", "/stream", "/hello"}) {
    for (const bool hold : {false, true}) {
      ConnectionHarness harness(MakeHttp1Connection);
      harness.stream().HoldWrites(hold);
      harness.Feed(Upgrade(path) + ClientFrame(kPing, "p") + ClientFrame(kText, "x", false));
    }
  }
}

}  // namespace
}  // namespace steward::http
