#include "kube/manifest/manifest_files.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"

namespace steward::kube {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FindManifestsTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text = "") const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << text;
  }
  TestDirectory directory_;
};

TEST_F(FindManifestsTest, FoldersAreSearchedAndSorted) {
  for (const char* name : {"b.yml", "a/z.yaml", "a/b.json", "c.yaml", "README.md", "a/x.yaml.bak",
                           ".hidden.yaml", ".git/config.yaml", "..data/c.yaml"}) {
    Write(name);
  }
  fs::create_directory_symlink(Path("a"), Path("linked"));
  fs::create_symlink(Path("c.yaml"), Path("d.yaml"));
  fs::create_directory(Path("folder.yaml"));
  EXPECT_THAT(FindManifests({directory_.path()}),
              IsOkAndHolds(ElementsAre(Path("a/b.json"), Path("a/z.yaml"), Path("b.yml"),
                                       Path("c.yaml"), Path("d.yaml"))));
}

TEST_F(FindManifestsTest, NamedFilesNeedNoExtensionAndComeInTheOrderGiven) {
  Write("plain");
  Write("a/b.yaml");
  EXPECT_THAT(FindManifests({Path("plain"), Path("a"), Path("a/b.yaml"), Path("a/../plain")}),
              IsOkAndHolds(ElementsAre(Path("plain"), Path("a/b.yaml"))));
}

TEST_F(FindManifestsTest, APathThatIsNotThereIsAnError) {
  EXPECT_THAT(FindManifests({Path("nope")}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(Path("nope"))));
}

TEST_F(FindManifestsTest, FilesOfTheFolderAloneInTheOrderOfTheirBytes) {
  for (const char* name : {"b.yml", "B.json", "a-1.yaml", "a.yaml", "a.YAML", "README.md",
                           ".hidden.yaml", "a/below.yaml"}) {
    Write(name);
  }
  fs::create_directory(Path("folder.yaml"));
  fs::create_directory_symlink(Path("a"), Path("linked.yaml"));
  fs::create_symlink(Path("b.yml"), Path("c.yaml"));
  fs::create_symlink(Path("nope"), Path("dangling.yaml"));
  EXPECT_THAT(ManifestFilesIn(directory_.path()),
              IsOkAndHolds(ElementsAre(Path("B.json"), Path("a-1.yaml"), Path("a.yaml"),
                                       Path("b.yml"), Path("c.yaml"), Path("dangling.yaml"))));
  EXPECT_THAT(FilesIn(directory_.path()),
              IsOkAndHolds(ElementsAre(Path("B.json"), Path("README.md"), Path("a-1.yaml"),
                                       Path("a.YAML"), Path("a.yaml"), Path("b.yml"),
                                       Path("c.yaml"), Path("dangling.yaml"))));
  EXPECT_THAT(FilesIn(Path("folder.yaml")), IsOkAndHolds(IsEmpty()));
  for (const auto& files : {FilesIn(Path("nope")), ManifestFilesIn(Path("nope"))}) {
    EXPECT_THAT(files, StatusIs(absl::StatusCode::kNotFound, HasSubstr(Path("nope"))));
  }
}

TEST_F(FindManifestsTest, ReadsWithinTheLimit) {
  Write("a.yaml", "abc");
  EXPECT_THAT(ReadManifest(Path("a.yaml"), 3), IsOkAndHolds("abc"));
  EXPECT_THAT(ReadManifest(Path("a.yaml"), 2),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("larger than 2 bytes")));
  EXPECT_THAT(ReadManifest(Path("nope"), 3),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("No such file")));
}

struct Parsed {
  std::vector<std::string> objects;   // "where: JSON"
  std::vector<std::string> problems;  // "where: what"
};

Parsed Parse(std::string_view path, std::string_view text) {
  Manifests manifests;
  ParseManifests(path, text, manifests);
  Parsed parsed;
  for (const ManifestObject& object : manifests.objects) {
    parsed.objects.push_back(object.where + ": " + Serialize(object.object));
  }
  for (const ManifestProblem& problem : manifests.problems) {
    parsed.problems.push_back(problem.where + ": " + problem.what);
  }
  return parsed;
}

TEST(ParseManifestsTest, DocumentsAndLists) {
  const Parsed parsed = Parse("a.yaml", R"(# nothing but a comment
---
kind: A
---

kind: List
items:
- kind: B
- kind: List
  items: [{kind: C}]
)");
  EXPECT_THAT(parsed.objects,
              ElementsAre(R"(a.yaml:2: {"kind":"A"})", R"(a.yaml:4, item 1: {"kind":"B"})",
                          R"(a.yaml:4, item 2, item 1: {"kind":"C"})"));
  EXPECT_THAT(parsed.problems, IsEmpty());
}

TEST(ParseManifestsTest, ItemsOfATypedListGetItsKind) {
  const Parsed parsed =
      Parse("a.json",
            R"({"apiVersion":"g/v1","kind":"WidgetList","items":[{"metadata":{}},{"kind":"X"}]})");
  EXPECT_THAT(
      parsed.objects,
      ElementsAre(R"(a.json:1, item 1: {"metadata":{},"kind":"Widget","apiVersion":"g/v1"})",
                  R"(a.json:1, item 2: {"kind":"X","apiVersion":"g/v1"})"));
}

TEST(ParseManifestsTest, AKindThatOnlySoundsLikeAList) {
  EXPECT_THAT(Parse("a.yaml", "kind: AllowList\nspec: {items: []}\n").objects,
              ElementsAre(R"(a.yaml:1: {"kind":"AllowList","spec":{"items":[]}})"));
}

TEST(ParseManifestsTest, ListsWithoutItems) {
  for (const char* text : {
           R"({"apiVersion":"v1","kind":"List","items":null})",
           R"({"apiVersion":"v1","kind":"List","items":[]})",
           R"({"apiVersion":"g/v1","kind":"WidgetList","metadata":{}})",
           R"({"apiVersion":"g/v1","kind":"WidgetList","metadata":{"resourceVersion":"7"}})",
       }) {
    const Parsed parsed = Parse("a.json", text);
    EXPECT_THAT(parsed.objects, IsEmpty()) << text;
    EXPECT_THAT(parsed.problems, IsEmpty()) << text;
  }
  for (const char* text : {
           R"({"kind":"AllowList","metadata":{"name":"a"}})",
           R"({"kind":"AllowList","metadata":{},"spec":{}})",
           R"({"kind":"AllowList","metadata":{"name":"a"},"items":{}})",
       }) {
    EXPECT_EQ(Parse("a.json", text).objects.size(), 1u) << text;
  }
}

TEST(ParseManifestsTest, BadPartsDoNotHideTheRest) {
  const Parsed parsed = Parse("a.yaml", R"(kind: A
---
a: [
---
- 1
---
kind: List
items: [5, {kind: B}]
)");
  EXPECT_THAT(parsed.objects,
              ElementsAre(R"(a.yaml:1: {"kind":"A"})", R"(a.yaml:6, item 2: {"kind":"B"})"));
  EXPECT_THAT(parsed.problems,
              ElementsAre(HasSubstr("a.yaml:2: line "), "a.yaml:4: is not an object",
                          "a.yaml:6, item 1: is not an object"));
}

TEST(ParseManifestsTest, SeveralDocumentsOfJson) {
  EXPECT_THAT(Parse("a.json", "{\"kind\":\"A\"}\n---\n{\"kind\":\"B\"}\n").objects,
              ElementsAre(R"(a.json:1: {"kind":"A"})", R"(a.json:2: {"kind":"B"})"));
  // jq '.items[]' writes such a stream, under any name.
  for (const char* path : {"a.json", "a.yaml"}) {
    const Parsed parsed =
        Parse(path, "\n{\n  \"kind\": \"A\"\n}\n{\n  \"kind\": \"B\"\n} {\"kind\":\"C\"}[7]\n");
    const std::string at(path);
    EXPECT_THAT(parsed.objects, ElementsAre(at + R"(:2: {"kind":"A"})", at + R"(:5: {"kind":"B"})",
                                            at + R"(:7: {"kind":"C"})"));
    EXPECT_THAT(parsed.problems, ElementsAre(at + ":7: is not an object"));
  }
  EXPECT_THAT(Parse("a.json", "{\"kind\":").problems, ElementsAre(HasSubstr("a.json:1: line ")));
}

}  // namespace
}  // namespace steward::kube
