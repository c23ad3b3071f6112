#include "apiserver/rest/encoding/body_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"

namespace steward::rest {
namespace {

// Appends `pieces` times `piece`, with the flushes that a caller must make.
StatusTask Fill(BodyStream& stream, std::string piece, int pieces) {
  for (int i = 0; i < pieces; ++i) {
    stream.buffer().text() += piece;
    if (!stream.full()) continue;
    absl::Status status = co_await stream.Flush();
    if (!status.ok()) co_return status;
  }
  co_return co_await stream.Finish();
}

absl::Status FillAndFinish(RecordingWriter& writer, bool gzip, std::string piece, int pieces) {
  boost::asio::io_context io;
  http::ResponseHead head;
  head.headers.Set("Content-Type", "text/x");
  DeflatedTexts texts;
  BodyStream stream(writer, std::move(head), gzip ? &texts : nullptr);
  return RunOn(io, Fill(stream, std::move(piece), pieces));
}

TEST(BodyStreamTest, SizesAndEncodings) {
  const struct {
    std::string name;
    bool gzip;
    size_t piece;
    int pieces;
    bool want_length, want_gzip;
  } kRows[] = {
      {"nothing", false, 0, 0, true, false},
      {"small", false, 100, 3, true, false},
      {"just below a chunk", false, 65535, 1, true, false},
      {"a chunk", false, 65536, 1, false, false},
      {"many chunks", false, 1000, 1000, false, false},
      {"small, gzip taken", true, 100, 3, true, false},
      {"threshold, gzip taken", true, 64 * 1024, 2, true, false},
      {"above threshold", true, 128 * 1024 + 1, 1, false, true},
      {"many chunks, gzip taken", true, 1000, 1000, false, true},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    RecordingWriter writer;
    ASSERT_OK(FillAndFinish(writer, row.gzip, std::string(row.piece, 'x'), row.pieces));
    EXPECT_EQ(writer.misuse(), "");
    EXPECT_TRUE(writer.finished());
    EXPECT_EQ(writer.Header("Content-Type"), "text/x");
    EXPECT_EQ(writer.head().content_length.has_value(), row.want_length);
    EXPECT_EQ(writer.Header("Content-Encoding"), row.want_gzip ? "gzip" : "");
    EXPECT_EQ(writer.Header("Vary"), row.want_gzip ? "Accept-Encoding" : "");
    const std::string want(row.piece * row.pieces, 'x');
    EXPECT_EQ(row.want_gzip ? Gunzip(writer.body()).value_or("not gzip") : writer.body(), want);
  }
}

TEST(BodyStreamTest, OneLargePieceKnownBeforehandHasALength) {
  boost::asio::io_context io;
  RecordingWriter writer;
  DeflatedTexts texts;
  BodyStream stream(writer, {}, &texts);
  stream.buffer().text() = std::string(1 << 20, 'x');
  ASSERT_OK(RunOn(io, stream.Finish()));
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_EQ(writer.head().content_length, writer.body().size());
  EXPECT_EQ(Gunzip(writer.body()), std::string(1 << 20, 'x'));
}

TEST(BodyStreamTest, MemoryIsBounded) {
  RecordingWriter writer;
  ASSERT_OK(FillAndFinish(writer, /*gzip=*/false, std::string(1000, 'x'), 1000));
  for (size_t bytes : writer.writes()) EXPECT_LE(bytes, BodyStream::kChunk + 1000);
  EXPECT_GE(writer.writes().size(), 15u);
}

// Spliced text costs no memory, so more of it is sent at once.
TEST(BodyStreamTest, SplicesAreNotCopied) {
  boost::asio::io_context io;
  RecordingWriter writer;
  const SharedText shared(std::string(300 * 1024, 's'));
  BodyStream stream(writer, {}, nullptr);
  std::string want;
  for (int i = 0; i < 3; ++i) {
    stream.buffer().text() += "<";
    stream.buffer().Splice(shared);
    stream.buffer().text() += ">";
    EXPECT_FALSE(stream.full());
    want += "<" + std::string(shared.view()) + ">";
  }
  ASSERT_OK(RunOn(io, stream.Finish()));
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_EQ(writer.head().content_length, want.size());
  EXPECT_EQ(writer.body(), want);
}

TEST(BodyStreamTest, ShortBodiesAreCompressedWhenThatCostsNothing) {
  DeflatedTexts texts;
  const SharedText shared(std::string(20000, 's'));
  const auto answer = [&](RecordingWriter& writer) {
    boost::asio::io_context io;
    BodyStream stream(writer, {}, &texts);
    stream.buffer().text() += "[";
    stream.buffer().Splice(shared);
    stream.buffer().text() += "]";
    EXPECT_OK(RunOn(io, stream.Finish()));
  };
  RecordingWriter before, after;
  answer(before);
  EXPECT_EQ(before.Header("Content-Encoding"), "");
  const DeflatedTextPtr form = texts.Get(shared);
  answer(after);
  EXPECT_EQ(after.Header("Content-Encoding"), "gzip");
  EXPECT_EQ(after.head().content_length, after.body().size());
  EXPECT_LT(after.body().size(), 500u);
  EXPECT_EQ(Gunzip(after.body()), before.body());
}

TEST(BodyStreamTest, StopsWhenTheClientIsGone) {
  for (int call = 0; call < 4; ++call) {
    RecordingWriter writer;
    writer.FailFrom(call);
    EXPECT_THAT(FillAndFinish(writer, call % 2 == 0, std::string(70000, 'x'), 10),
                StatusIs(absl::StatusCode::kCancelled));
    EXPECT_EQ(writer.misuse(), "");
    EXPECT_FALSE(writer.finished());
  }
}

TEST(AcceptsGzipTest, OnlyTheExactToken) {
  const struct {
    std::string header;
    bool want;
  } kRows[] = {{"", false},         {"gzip", true},        {"deflate, gzip , br", true},
               {"gzip;q=1", false}, {"x-gzip", false},     {"GZIP", false},
               {"*", false},        {"br,gzip;q=0", false}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.header);
    http::Request request;
    request.headers.Add("Accept-Encoding", row.header);
    EXPECT_EQ(AcceptsGzip(request), row.want);
  }
  EXPECT_FALSE(AcceptsGzip(http::Request()));
}

TEST(AcceptsGzipTest, AFrontProxysOwnWishDoesNotCount) {
  const struct {
    std::string encoding;
    std::string agent;
    bool want;
  } kRows[] = {
      {"gzip", "curl/8.5.0", false},
      {"gzip", "", false},
      {"gzip", "python-requests/2.31", false},
      {"gzip", "Go-http-client/2.0", true},
      {"gzip", "kubectl/v1.36.0 (linux/amd64) kubernetes/abcdef0", true},
      {"gzip", "console/v0.0.0 (linux/amd64) kubernetes/$Format", true},
      // These values differ from the proxy's own, so they come from the client.
      {"gzip, deflate", "python-requests/2.31", true},
      {"deflate, gzip, br, zstd", "curl/8.5.0", true},
      {"identity", "Go-http-client/2.0", false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.encoding + " of " + row.agent);
    http::Request request;
    request.headers.Add("Accept-Encoding", row.encoding);
    if (!row.agent.empty()) request.headers.Add("User-Agent", row.agent);
    request.front_proxy = true;
    EXPECT_EQ(AcceptsGzip(request), row.want);
    request.front_proxy = false;
    EXPECT_EQ(AcceptsGzip(request), row.encoding != "identity");
  }
}

}  // namespace
}  // namespace steward::rest
