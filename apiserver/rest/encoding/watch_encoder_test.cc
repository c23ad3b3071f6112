#include "apiserver/rest/encoding/watch_encoder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// Compares with testdata/watch/<name>.jsonl; with UPDATE_GOLDENS=<the repository>, writes it
// instead.
void ExpectGolden(const std::string& name, const std::string& got) {
  const std::string path = "apiserver/rest/encoding/testdata/watch/" + name + ".jsonl";
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

struct FormCase {
  std::string golden;
  Form form;
  IncludeObject include = IncludeObject::kMetadata;
  std::string meta_version = "v1";
};

WatchEvent EventOf(WatchEvent::Type type, const Object& object, std::string resource_version) {
  WatchEvent event{type};
  event.object = &object;
  event.resource_version = std::move(resource_version);
  return event;
}

WatchEvent Bookmark(std::string resource_version, bool initial_events_end) {
  WatchEvent event{WatchEvent::Type::kBookmark};
  event.resource_version = std::move(resource_version);
  event.initial_events_end = initial_events_end;
  return event;
}

class WatchFormTest : public testing::TestWithParam<FormCase> {};

TEST_P(WatchFormTest, Frames) {
  FakeResource fake({});
  const Resource definition = fake.Definition();
  OutputFormat format;
  format.form = GetParam().form;
  format.meta_version = GetParam().meta_version;
  const FakeObject a("ns1", "a", {{"x", "y"}}, "one\n<two>");
  const FakeObject b("ns1", "b");
  WatchEncoder encoder(definition, format, GetParam().include);
  Rope frames;
  encoder.Append(EventOf(WatchEvent::Type::kAdded, a, "80"), frames);
  encoder.Append(Bookmark("80", true), frames);
  encoder.Append(EventOf(WatchEvent::Type::kAdded, b, "81"), frames);
  encoder.Append(EventOf(WatchEvent::Type::kModified, b, "82"), frames);
  encoder.Append(EventOf(WatchEvent::Type::kDeleted, a, "83"), frames);
  encoder.Append(Bookmark("90", false), frames);
  WatchEncoder::AppendError(kube::Expired("too old resource version: 1 (5)"), frames.text());
  ExpectGolden(GetParam().golden, frames.Flatten());
}

const FormCase kForms[] = {
    {"object", Form::kObject},
    {"table", Form::kTable},
    {"table_none", Form::kTable, IncludeObject::kNone},
    {"table_object_v1beta1", Form::kTable, IncludeObject::kObject, "v1beta1"},
    {"partial", Form::kPartialMetadata},
    {"partial_v1beta1", Form::kPartialMetadata, IncludeObject::kMetadata, "v1beta1"},
};
INSTANTIATE_TEST_SUITE_P(All, WatchFormTest, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.golden; });

TEST(WatchEncoderTest, ABookmarkMayComeFirst) {
  FakeResource fake({});
  const Resource definition = fake.Definition();
  OutputFormat format;
  format.form = Form::kTable;
  const FakeObject a("ns1", "a");
  WatchEncoder encoder(definition, format, IncludeObject::kNone);
  Rope first, second;
  encoder.Append(Bookmark("80", true), first);
  encoder.Append(EventOf(WatchEvent::Type::kAdded, a, "80"), second);
  EXPECT_NE(first.Flatten().find(R"("columnDefinitions":[{"name":"Name")"), std::string::npos);
  EXPECT_EQ(second.Flatten(),
            R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"resourceVersion":"80"},"columnDefinitions":null,)"
            R"("rows":[{"cells":["a",0],"object":null}]}})"
            "\n");
}

TEST(WatchEncoderTest, EmptyCellsAreOfTheirColumnsTypes) {
  FakeResource fake({});
  Resource definition = fake.Definition();
  definition.columns.clear();
  for (const char* type : {"string", "integer", "number", "boolean", "date"}) {
    definition.columns.push_back({type, type, "", "", 0});
  }
  OutputFormat format;
  format.form = Form::kTable;
  WatchEncoder encoder(definition, format, IncludeObject::kNone);
  Rope frame;
  encoder.Append(Bookmark("80", false), frame);
  EXPECT_NE(frame.Flatten().find(R"("rows":[{"cells":["",0,0,false,""],"object":null}])"),
            std::string::npos)
      << frame.Flatten();
}

}  // namespace
}  // namespace steward::rest
