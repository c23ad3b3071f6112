#include "apiserver/rest/encoding/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "apiserver/rest/testing/fake_resource.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/async/yield.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

FakeResource Widgets() {
  return FakeResource({FakeObject("ns1", "a", {{"x", "y"}}, "first\nsecond\n"),
                       FakeObject("ns1", "b", {}, "<yes> & \"no\""), FakeObject("ns2", "a")});
}

// Compares with testdata/encoder/<name>; with UPDATE_GOLDENS=<the repository>, writes it instead.
void ExpectGolden(const std::string& name, const std::string& got) {
  const std::string path = "apiserver/rest/encoding/testdata/encoder/" + name;
  if (const char* repository = std::getenv("UPDATE_GOLDENS")) {
    std::ofstream(std::string(repository) + "/" + path) << got;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream want;
  want << file.rdbuf();
  EXPECT_EQ(got, want.str()) << path;
}

StatusTask ListTo(http::ResponseWriter& writer, FakeResource& resource, const Resource& definition,
                  Encoding encoding) {
  Selection everything;
  ReadOptions options;
  absl::StatusOr<Reading> reading = co_await resource.List(everything, options);
  if (!reading.ok()) co_return reading.status();
  co_return co_await WriteList(writer, definition, std::move(encoding), *std::move(reading));
}

StatusTask GetTo(http::ResponseWriter& writer, FakeResource& resource, const Resource& definition,
                 Encoding encoding) {
  kube::NamespacedName name{"ns1", "a"};
  ReadOptions options;
  absl::StatusOr<Reading> reading = co_await resource.Get(name, options);
  if (!reading.ok()) co_return reading.status();
  co_return co_await WriteObject(writer, definition, std::move(encoding), *std::move(reading));
}

struct FormCase {
  std::string golden;  // the JSON forms' name; .json, .pretty.json and .yaml are added
  bool list;
  Form form;
  IncludeObject include = IncludeObject::kMetadata;
  std::string meta_version = "v1";
};

class FormTest : public testing::TestWithParam<FormCase> {
 protected:
  std::string Write(Serializer serializer, bool pretty) {
    boost::asio::io_context io;
    FakeResource resource = Widgets();
    const Resource definition = resource.Definition();
    RecordingWriter writer;
    Encoding encoding{{serializer, GetParam().form, GetParam().meta_version, pretty},
                      GetParam().include};
    EXPECT_OK(RunOn(io, GetParam().list ? ListTo(writer, resource, definition, encoding)
                                        : GetTo(writer, resource, definition, encoding)));
    EXPECT_EQ(writer.misuse(), "");
    EXPECT_TRUE(writer.finished());
    EXPECT_EQ(writer.status(), 200);
    EXPECT_EQ(writer.Header("Content-Type"), ContentType(serializer));
    EXPECT_EQ(writer.head().content_length, writer.body().size());
    return writer.body();
  }
};

TEST_P(FormTest, Json) {
  ExpectGolden(GetParam().golden + ".json", Write(Serializer::kJson, false));
}
TEST_P(FormTest, PrettyJson) {
  ExpectGolden(GetParam().golden + ".pretty.json", Write(Serializer::kJson, true));
}
TEST_P(FormTest, Yaml) {
  ExpectGolden(GetParam().golden + ".yaml", Write(Serializer::kYaml, false));
}

const FormCase kForms[] = {
    {"object", false, Form::kObject},
    {"object_table", false, Form::kTable},
    {"object_partial", false, Form::kPartialMetadata},
    {"list", true, Form::kObject},
    {"table", true, Form::kTable},
    {"table_none", true, Form::kTable, IncludeObject::kNone},
    {"table_object_v1beta1", true, Form::kTable, IncludeObject::kObject, "v1beta1"},
    {"partial_list", true, Form::kPartialMetadataList},
    {"partial_list_v1beta1", true, Form::kPartialMetadataList, IncludeObject::kMetadata, "v1beta1"},
};
INSTANTIATE_TEST_SUITE_P(All, FormTest, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.golden; });

TEST(EncoderTest, EmptyLists) {
  const struct {
    Form form;
    std::string want;
  } kRows[] = {
      {Form::kObject,
       R"({"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"77"},)"
       R"("items":[]})"
       "\n"},
      {Form::kPartialMetadataList,
       R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
       R"("metadata":{"resourceVersion":"77"},"items":[]})"
       "\n"},
  };
  for (const auto& row : kRows) {
    boost::asio::io_context io;
    FakeResource resource({});
    const Resource definition = resource.Definition();
    RecordingWriter writer;
    Encoding encoding;
    encoding.format.form = row.form;
    ASSERT_OK(RunOn(io, ListTo(writer, resource, definition, encoding)));
    EXPECT_EQ(writer.body(), row.want);
  }
}

FakeResource ManyWidgets(bool share_notes = false) {
  std::vector<FakeObject> objects;
  for (int i = 0; i < 400; ++i) {
    objects.emplace_back("ns", "w" + std::to_string(1000 + i), kube::LabelMap(),
                         std::string(share_notes ? 6000 : 2000, 'x'));
    if (share_notes) objects.back().ShareNote();
  }
  return FakeResource(std::move(objects));
}

TEST(EncoderTest, LargeListsAreStreamed) {
  for (const OutputFormat& format :
       {OutputFormat{}, OutputFormat{Serializer::kJson, Form::kObject, "v1", true},
        OutputFormat{Serializer::kYaml}}) {
    boost::asio::io_context io;
    FakeResource resource = ManyWidgets();
    const Resource definition = resource.Definition();
    RecordingWriter plain, gzip;
    DeflatedTexts texts;
    ASSERT_OK(RunOn(io, ListTo(plain, resource, definition, {format})));
    ASSERT_OK(
        RunOn(io, ListTo(gzip, resource, definition, {format, IncludeObject::kMetadata, &texts})));
    EXPECT_EQ(plain.misuse() + gzip.misuse(), "");
    EXPECT_FALSE(plain.head().content_length);
    EXPECT_GT(plain.writes().size(), 10u);
    for (size_t bytes : plain.writes()) EXPECT_LT(bytes, 70000u);
    EXPECT_EQ(gzip.Header("Content-Encoding"), "gzip");
    EXPECT_LT(gzip.body().size(), plain.body().size() / 10);
    EXPECT_EQ(Gunzip(gzip.body()), plain.body());
  }
}

TEST(EncoderTest, LargeListsOfSharedTextAreStreamed) {
  boost::asio::io_context io;
  FakeResource resource = ManyWidgets(/*share_notes=*/true);
  const Resource definition = resource.Definition();
  RecordingWriter plain, gzip;
  DeflatedTexts texts;
  ASSERT_OK(RunOn(io, ListTo(plain, resource, definition, Encoding{})));
  ASSERT_OK(RunOn(io, ListTo(gzip, resource, definition, {{}, IncludeObject::kMetadata, &texts})));
  EXPECT_EQ(plain.writes().size(), 3u);
  for (size_t bytes : plain.writes()) EXPECT_LT(bytes, (1u << 20) + 7000);
  EXPECT_LT(gzip.body().size(), plain.body().size() / 10);
  EXPECT_EQ(Gunzip(gzip.body()), plain.body());
}

VoidTask CountTurns(int& turns) {
  for (;; ++turns) co_await Yield();
}

TEST(EncoderTest, OtherWorkGetsItsTurns) {
  const struct {
    bool pauses;
    int turns;
  } kRows[] = {{false, 10}, {true, 400}};
  std::string bodies[2];
  for (const auto& row : kRows) {
    boost::asio::io_context io;
    FakeResource resource = ManyWidgets();
    if (row.pauses) resource.Pause();
    const Resource definition = resource.Definition();
    RecordingWriter writer;
    TaskGroup others(io.get_executor());
    int turns = 0;
    others.Spawn("counts", CountTurns(turns));
    Encoding encoding;
    EXPECT_OK(RunOn(io, ListTo(writer, resource, definition, encoding)));
    EXPECT_GE(turns, row.turns);
    RunOn(io, others.Stop());
    bodies[row.pauses ? 1 : 0] = writer.body();
  }
  EXPECT_EQ(bodies[0], bodies[1]);
}

// The object's own version takes precedence in every form.
TEST(EncoderTest, AnObjectsOwnVersionGoesBeforeTheAnswers) {
  FakeObject own("ns1", "a");
  own.SetVersion("5");
  FakeResource resource({own, FakeObject("ns1", "b")});
  const Resource definition = resource.Definition();
  boost::asio::io_context io;
  for (const Form form :
       {Form::kObject, Form::kTable, Form::kPartialMetadata, Form::kPartialMetadataList}) {
    Encoding encoding;
    encoding.format.form = form;
    if (form != Form::kPartialMetadata) {
      RecordingWriter writer;
      ASSERT_OK(RunOn(io, ListTo(writer, resource, definition, encoding)));
      const std::string body = writer.body();
      EXPECT_THAT(body,
                  testing::HasSubstr(R"("name":"a","namespace":"ns1","resourceVersion":"5")"));
      EXPECT_THAT(body,
                  testing::HasSubstr(R"("name":"b","namespace":"ns1","resourceVersion":"77")"));
      EXPECT_THAT(body.substr(0, body.find("ns1")),
                  testing::HasSubstr(R"("resourceVersion":"77")"));
    }
    if (form == Form::kPartialMetadataList) continue;
    RecordingWriter writer;
    ASSERT_OK(RunOn(io, GetTo(writer, resource, definition, encoding)));
    EXPECT_THAT(writer.body(),
                testing::HasSubstr(R"("name":"a","namespace":"ns1","resourceVersion":"5")"));
  }
}

TEST(EncoderTest, PagesSayHowToGoOn) {
  const struct {
    Form form;
    std::string token;
    std::optional<int64_t> remaining;
    std::string want;
  } kRows[] = {
      {Form::kObject, "a\"b", 1200,
       R"({"resourceVersion":"77","continue":"a\"b",)"
       R"("remainingItemCount":1200},"items":[{)"},
      {Form::kObject, "ab", std::nullopt, R"({"resourceVersion":"77","continue":"ab"},"items":[{)"},
      {Form::kObject, "", std::nullopt, R"({"resourceVersion":"77"},"items":[{)"},
      {Form::kTable, "ab", 0,
       R"({"resourceVersion":"77","continue":"ab","remainingItemCount":0},)"},
      {Form::kPartialMetadataList, "ab", 1,
       R"({"resourceVersion":"77","continue":"ab","remainingItemCount":1},"items":[{)"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    boost::asio::io_context io;
    FakeResource resource = Widgets();
    const Resource definition = resource.Definition();
    Selection everything;
    ReadOptions options;
    ASSERT_OK_AND_ASSIGN(Reading reading, RunOn(io, resource.List(everything, options)));
    reading.continue_token = row.token;
    reading.remaining_item_count = row.remaining;
    RecordingWriter writer;
    Encoding encoding;
    encoding.format.form = row.form;
    ASSERT_OK(RunOn(io, WriteList(writer, definition, encoding, std::move(reading))));
    EXPECT_THAT(writer.body(), testing::HasSubstr(row.want));
  }
}

// A cursor that fails to fetch more after some objects.
class BrokenCursor : public Cursor {
 public:
  explicit BrokenCursor(int objects) : left_(objects) {}
  const Object* Next() override { return left_-- > 0 ? &object_ : nullptr; }
  Task<bool> More() override { co_return kube::ToStatus(kube::Expired("gone")); }

 private:
  const FakeObject object_{"ns", "a", {}, std::string(2000, 'x')};
  int left_;
};

TEST(EncoderTest, ACursorThatFailsBreaksTheListOff) {
  for (const int objects : {3, 100}) {
    boost::asio::io_context io;
    FakeResource resource({});
    const Resource definition = resource.Definition();
    Reading reading;
    reading.resource_version = "77";
    reading.cursor = std::make_unique<BrokenCursor>(objects);
    RecordingWriter writer;
    Encoding encoding;
    const absl::Status status =
        RunOn(io, WriteList(writer, definition, encoding, std::move(reading)));
    EXPECT_EQ(kube::FromStatus(status).code, 410);
    // An error can be answered only when nothing was sent.
    EXPECT_EQ(writer.status(), objects == 3 ? 0 : 200);
    EXPECT_FALSE(writer.finished());
  }
}

TEST(EncoderTest, StatusAndWarnings) {
  boost::asio::io_context io;
  FakeResource resource = Widgets();
  resource.Warn("old");
  const Resource definition = resource.Definition();
  RecordingWriter writer;
  Encoding encoding;
  encoding.status = 201;
  encoding.warnings = {"new"};
  ASSERT_OK(RunOn(io, GetTo(writer, resource, definition, encoding)));
  EXPECT_EQ(writer.status(), 201);
  EXPECT_THAT(writer.head().headers.FindAll("Warning"),
              testing::ElementsAre("299 - \"new\"", "299 - \"old\""));
}

TEST(EncoderTest, Documents) {
  const struct {
    OutputFormat format;
    std::string want;
  } kRows[] = {{OutputFormat{}, "{\"a\":1}\n"},
               {OutputFormat{Serializer::kJson, Form::kTable, "v1", true}, "{\n  \"a\": 1\n}"},
               {OutputFormat{Serializer::kYaml}, "a: 1\n"}};
  for (const auto& row : kRows) {
    boost::asio::io_context io;
    RecordingWriter writer;
    Encoding encoding;
    encoding.format = row.format;
    ASSERT_OK(RunOn(io, WriteDocument(writer, encoding, R"({"a":1})")));
    EXPECT_EQ(writer.body(), row.want);
    EXPECT_EQ(writer.Header("Content-Type"), ContentType(row.format.serializer));
  }
}

TEST(EncoderTest, NoObjectIsAnInternalError) {
  boost::asio::io_context io;
  FakeResource resource({});
  const Resource definition = resource.Definition();
  RecordingWriter writer;
  Selection everything;
  ReadOptions options;
  absl::StatusOr<Reading> empty = RunOn(io, resource.List(everything, options));
  ASSERT_OK(empty);
  const absl::Status status =
      RunOn(io, WriteObject(writer, definition, Encoding(), *std::move(empty)));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(kube::FromStatus(status).code, 500);
  EXPECT_EQ(writer.status(), 0);
}

TEST(CheckFormTest, WrongShape) {
  FakeResource fake({});
  const Resource definition = fake.Definition();
  const struct {
    Form form;
    bool list;
    std::string error;
  } kRows[] = {
      {Form::kObject, true, ""},
      {Form::kTable, true, ""},
      {Form::kTable, false, ""},
      {Form::kPartialMetadata, false, ""},
      {Form::kPartialMetadataList, true, ""},
      {Form::kPartialMetadata, true,
       "you requested PartialObjectMetadata, but the requested object is a list (*v1.WidgetList)"},
      {Form::kPartialMetadataList, false,
       "you requested PartialObjectMetadataList, but the requested object is not a list "
       "(*v1.Widget)"},
  };
  for (const auto& row : kRows) {
    OutputFormat format;
    format.form = row.form;
    const absl::Status status = CheckForm(definition, format, row.list);
    ASSERT_EQ(status.ok(), row.error.empty());
    if (status.ok()) continue;
    EXPECT_EQ(kube::FromStatus(status).code, 406);
    EXPECT_EQ(kube::FromStatus(status).message, row.error);
  }
}

}  // namespace
}  // namespace steward::rest
