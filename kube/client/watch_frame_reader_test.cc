#include "kube/client/watch_frame_reader.h"

#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Renders an event as "A6", a need for more bytes as "...", an error as "!<code>".
std::string Describe(const absl::StatusOr<std::optional<WatchEvent>>& event) {
  if (!event.ok()) return StrCat("!", absl::StatusCodeToString(event.status().code()));
  if (!*event) return "...";
  return StrCat(std::string(1, "AMDB"[static_cast<int>((*event)->type)]),
                (*event)->resource_version);
}

std::vector<std::string> Drain(WatchFrameReader& reader) {
  std::vector<std::string> out;
  do {
    out.push_back(Describe(reader.Next()));
  } while (out.back() != "..." && out.back()[0] != '!');
  return out;
}

std::string Frame(std::string_view type, int revision) {
  return StrCat(R"({"type":")", type, R"(","object":{"kind":"W","metadata":{"resourceVersion":")",
                revision, "\"}}}\n");
}

TEST(WatchFrameReaderTest, EventsAcrossAnyCut) {
  const std::string stream =
      StrCat(Frame("ADDED", 1), Frame("MODIFIED", 2), Frame("DELETED", 3), Frame("BOOKMARK", 4));
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    WatchFrameReader reader;
    std::vector<std::string> seen;
    for (const std::string& part : {stream.substr(0, cut), stream.substr(cut)}) {
      reader.buffer() += part;
      for (const std::string& event : Drain(reader)) {
        if (event != "...") seen.push_back(event);
      }
    }
    EXPECT_THAT(seen, ElementsAre("A1", "M2", "D3", "B4")) << cut;
    EXPECT_OK(reader.Finish());
  }
}

TEST(WatchFrameReaderTest, ObjectOwnsItsPaddedBytes) {
  RawObject object;
  {
    WatchFrameReader reader;
    reader.buffer() =
        "{ \"object\" : {\"metadata\":{\"resourceVersion\":\"1\"}, \"a\":[{}]}  , "
        "\"type\" : \"ADDED\" }\r\n";
    ASSERT_OK_AND_ASSIGN(const auto event, reader.Next());
    ASSERT_TRUE(event);
    object = event->object;
  }
  EXPECT_EQ(object.json, R"({"metadata":{"resourceVersion":"1"}, "a":[{}]})");
  std::string beyond(object.json.end(), RawObject::kPadding);  // readable
  EXPECT_EQ(beyond.size(), RawObject::kPadding);
}

struct FrameCase {
  const char* name;
  std::string line;
  const char* result;
};

TEST(WatchFrameReaderTest, Frames) {
  const std::vector<FrameCase> rows = {
      {"managedFields before the revision",
       R"({"type":"ADDED","object":{"metadata":{"managedFields":[{"f:a":{"resourceVersion":"9"}}],)"
       R"("resourceVersion":"5"}}})",
       "A5"},
      {"blank lines between", "\n  \n\r\n" + Frame("ADDED", 1), "A1"},
      {"no revision", R"({"type":"ADDED","object":{"metadata":{}}})", "!DATA_LOSS"},
      {"no metadata", R"({"type":"ADDED","object":{}})", "!DATA_LOSS"},
      {"revision is a number", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":5}}})",
       "!DATA_LOSS"},
      {"no object", R"({"type":"ADDED"})", "!DATA_LOSS"},
      {"object is a list", R"({"type":"ADDED","object":[]})", "!DATA_LOSS"},
      {"no type", R"({"object":{"metadata":{"resourceVersion":"5"}}})", "!DATA_LOSS"},
      {"unknown type", Frame("CHANGED", 5), "!DATA_LOSS"},
      {"no object at all", "[]", "!DATA_LOSS"},
      {"a word", "hello", "!DATA_LOSS"},
      {"cut short", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"5")", "!DATA_LOSS"},
      {"wrong bracket", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"5"}]})",
       "!DATA_LOSS"},
      {"two objects", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"5"}}} {})",
       "!DATA_LOSS"},
      {"bad UTF-8", "{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}}", "!DATA_LOSS"},
      {"error without a Status", R"({"type":"ERROR","object":{"kind":"Pod"}})", "!DATA_LOSS"},
      {"error", StrCat(R"({"type":"ERROR","object":)", ToJson(InternalError("x")), "}"),
       "!INTERNAL"},
      {"longer than allowed", std::string(1001, ' '), "!DATA_LOSS"},
  };
  for (const FrameCase& row : rows) {
    SCOPED_TRACE(row.name);
    WatchFrameReader reader(1000);
    reader.buffer() = row.line + "\n";
    EXPECT_EQ(Describe(reader.Next()), row.result);
  }
}

TEST(WatchFrameReaderTest, ErrorEventKeepsItsReason) {
  WatchFrameReader reader;
  reader.buffer() = StrCat(R"({"type":"ERROR","object":)", ToJson(Expired("too old")), "}\n");
  EXPECT_TRUE(HasReason(reader.Next().status(), "Expired"));
}

TEST(WatchFrameReaderTest, FrameWithoutEndIsBounded) {
  WatchFrameReader reader(1000);
  reader.buffer() = std::string(1000, 'x');
  EXPECT_EQ(Describe(reader.Next()), "...");
  reader.buffer() += 'x';
  EXPECT_THAT(reader.Next(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("longer than 1000")));
}

TEST(WatchFrameReaderTest, EndInsideAFrameIsDataLoss) {
  WatchFrameReader reader;
  EXPECT_OK(reader.Finish());
  reader.buffer() = Frame("ADDED", 1) + "  ";
  Drain(reader);
  EXPECT_OK(reader.Finish());
  reader.buffer() += "{";
  Drain(reader);
  EXPECT_THAT(reader.Finish(), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace steward::kube
