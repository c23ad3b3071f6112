#include "olm/plan/manifest_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

constexpr size_t kMax = 1 << 20;

std::string Text(const ManifestFile& file) {
  std::string text = file.object.empty() ? "" : Serialize(file.object);
  for (const ManifestFile::Remark& remark : file.left_out) {
    StrAppend(&text, "!", remark.line, " ", remark.what);
  }
  for (const ManifestFile::Remark& remark : file.remarks) {
    StrAppend(&text, " ?", remark.line, " ", remark.what);
  }
  return text;
}

struct Row {
  std::string text;
  const char* taken;
};

// The rows are what apimachinery's YAMLOrJSONDecoder makes of each text.
TEST(ManifestFileTest, AsOperatorRegistryReads) {
  const std::string empty = "!1 its first document is empty, and OLM reads no other one of a file";
  const std::string only =
      " only what stands before it is installed: OLM reads the first object of a file";
  const std::vector<Row> rows = {
      {"kind: A\n", R"({"kind":"A"})"},
      {"# about\nkind: A\n", R"({"kind":"A"})"},
      {"---\nkind: A\n", R"({"kind":"A"})"},
      {"kind: A\n---\n# nothing\n", R"({"kind":"A"})"},
      {"kind: A\na: 1\na: 2\n",
       R"({"kind":"A","a":2} ?3 key "a" already set in map: the last one counts)"},
      {"{\"kind\":\"A\"}", R"({"kind":"A"})"},
      {"", "!1 there is nothing in it"},
      {"# about\n", "!1 there is nothing in it"},
      {"hello\n", "!1 it is no object"},
      {"- a\n", "!1 it is no object"},
      {"null\n", "!1 it is no object"},
      {"a: 1\n", "!1 kind is missing"},
      {"kind: 1\n", "!1 kind is missing"},
      {"{\"a\":1}", "!1 kind is missing"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Text(ReadManifestFile(row.text, kMax)), row.taken) << row.text;
  }
  for (const char* text : {"# about\n---\nkind: A\n", "\n---\nkind: A\n", "---\n---\nkind: A\n",
                           "---\n# c\n---\nkind: A\n"}) {
    EXPECT_EQ(Text(ReadManifestFile(text, kMax)), empty) << text;
  }
  EXPECT_EQ(Text(ReadManifestFile("kind: A\n---\nkind: B\n", kMax)),
            StrCat(R"({"kind":"A"} ?2)", only));
  EXPECT_EQ(Text(ReadManifestFile("{\"kind\":\"A\"}\n{\"kind\":\"B\"}", kMax)),
            StrCat(R"({"kind":"A"} ?2)", only));
}

TEST(ManifestFileTest, SaysWhereItCannotBeRead) {
  const ManifestFile file = ReadManifestFile("kind: A\nspec:\n  a: [1\n", kMax);
  ASSERT_EQ(file.left_out.size(), 1U);
  EXPECT_GT(file.left_out[0].line, 1U);
  EXPECT_EQ(file.left_out[0].what.find("line "), std::string::npos);
  EXPECT_TRUE(file.object.empty());
  EXPECT_EQ(ReadManifestFile(std::string(2 * kMax, 'a'), kMax).left_out.size(), 1U);
}

}  // namespace
}  // namespace steward::olm
