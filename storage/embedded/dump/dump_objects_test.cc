#include "storage/embedded/dump/dump_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "PLACE KIND NS/NAME" of each object, "PLACE! WHAT" of what is cut off, "PLACE? WHAT" of the rest.
std::vector<std::string> Found(const std::string& text, bool in_must_gather = true,
                               absl::Status trouble = absl::OkStatus()) {
  DumpFile file;
  file.path = "f";
  file.text = text;
  file.trouble = std::move(trouble);
  if (in_must_gather) file.place = PlaceOf("namespaces/a/core/pods.yaml");
  DumpObjects objects(file);
  DumpPart part;
  while (objects.Next(part)) {
  }
  std::vector<std::string> found;
  for (const DumpObject& object : part.objects) {
    found.push_back(
        StrCat(object.where, " ", object.gvk.kind, " ", object.name.ns, "/", object.name.name));
  }
  for (const DumpProblem& problem : part.problems) {
    const bool cut = problem.sort == DumpProblem::Sort::kCutOff;
    found.push_back(StrCat(problem.where, cut ? "! " : "? ", problem.what));
  }
  return found;
}

constexpr char kList[] =
    "---\n"
    "apiVersion: v1\n"
    "items:\n"
    "- apiVersion: v1\n"
    "  kind: Pod\n"
    "  metadata:\n"
    "    name: one\n"
    "    namespace: a\n"
    "  text: |\n"
    "    items:\n"
    "    - x\n"
    "\n"
    "- metadata:\n"
    "    name: two\n"
    "kind: PodList\n"
    "metadata:\n"
    "  resourceVersion: \"5\"\n";

TEST(DumpObjectsTest, ItemsOfAListHaveTheirLines) {
  EXPECT_THAT(Found(kList), ElementsAre("f:4 Pod a/one", "f:13 Pod /two"));
}

TEST(DumpObjectsTest, OneObjectOrSeveralDocuments) {
  const std::string one = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
  EXPECT_THAT(Found("---\n" + one), ElementsAre("f:1 Pod /a"));
  EXPECT_THAT(Found(one + "---\n" + one, false), ElementsAre("f:1 Pod /a", "f:5 Pod /a"));
  EXPECT_THAT(Found(R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1",)"
                    R"("metadata":{"name":"a"}}]})"),
              ElementsAre("f:1, item 1 Pod /a"));
  EXPECT_THAT(Found("apiVersion: v1\nitems: []\nkind: PodList\n"), IsEmpty());
}

TEST(DumpObjectsTest, ListsOfLists) {
  EXPECT_THAT(Found("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n"
                    "  - {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"),
              ElementsAre("f:4, item 1 Pod /a"));
}

TEST(DumpObjectsTest, AListThatIsCutOffYieldsWhatIsBeforeThat) {
  const std::string text = kList;
  EXPECT_THAT(Found(text.substr(0, text.find("    name: two"))),
              ElementsAre("f:4 Pod a/one",
                          "f:13! ends in the middle: its last object is lost, or lacks something"));
  EXPECT_THAT(Found(text.substr(0, text.find("kind: PodList"))),
              ElementsAre("f:4 Pod a/one", HasSubstr("f:14! ends in the middle")));
  EXPECT_THAT(Found(text.substr(0, text.find("one"))),
              ElementsAre(HasSubstr("f:7! ends in the middle")));
}

TEST(DumpObjectsTest, FilesThatAreCutOff) {
  EXPECT_THAT(Found(""), ElementsAre("f:1! is empty"));
  EXPECT_THAT(Found("", false), IsEmpty());
  EXPECT_THAT(Found("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec: {}\nsta"),
              ElementsAre(HasSubstr("f:6! ")));
  EXPECT_THAT(Found("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a"),
              ElementsAre("f:1 Pod /a", HasSubstr("f:4! ends in the middle")));
  EXPECT_THAT(Found("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a", false),
              ElementsAre("f:1 Pod /a"));
  EXPECT_THAT(Found("apiVersion: v1\n", true, absl::DataLossError("is cut off")),
              ElementsAre("f:1! is cut off"));
  EXPECT_THAT(Found("", true, absl::ResourceExhaustedError("is larger")),
              ElementsAre("f:1? is larger"));
}

TEST(DumpObjectsTest, BadPartsHideNoOthers) {
  std::string text = kList;
  text.replace(text.find("    name: one"), 13, "    name: [one");
  const std::vector<std::string> found = Found(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], "f:13 Pod /two");
  EXPECT_THAT(found[1], testing::StartsWith("f:"));
  EXPECT_THAT(Found("a: 1\n", false), ElementsAre("f:1? has no apiVersion or no kind"));
  EXPECT_THAT(Found("apiVersion: v1\nkind: Pod\nmetadata: {name: ../x}\n", false),
              ElementsAre(HasSubstr("no metadata.name that an object may have")));
  EXPECT_THAT(Found("items:\n- 1\n", false), ElementsAre("f:2? is not an object"));
}

constexpr char kPod[] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})";

TEST(DumpObjectsTest, ItemsOfJsonAreReadOneByOne) {
  const std::string list =
      R"({"apiVersion":"v1", "items" : [{"metadata":{"name":"a]\\\"}"}} ,
        1, {"a":"\q"}, {"metadata":{"name":"b"}}], "kind":"PodList"})";
  EXPECT_THAT(
      Found(list + "\n" + kPod + kPod),
      ElementsAre("f:1, item 1 Pod /a]\\\"}", "f:1, item 4 Pod /b", "f:3 Pod /a", "f:3 Pod /a",
                  "f:1, item 2? is not an object", HasSubstr("f:2, item 3? ")));
  // These are no lists.
  EXPECT_THAT(Found(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"items":[1]})"),
              ElementsAre("f:1 Pod /a"));
  EXPECT_THAT(Found(R"({"apiVersion":"v1","kind":"PodList","items":[1],"items":[]})"), IsEmpty());
  // YAML that looks like JSON, and JSON that has no end.
  EXPECT_THAT(Found("{apiVersion: v1, kind: Pod, metadata: {name: '\"'}}\n"),
              ElementsAre("f:1 Pod /\""));
  EXPECT_THAT(Found(list.substr(0, 60)), ElementsAre(HasSubstr("! ")));
}

TEST(DumpObjectsTest, DocumentsOfYamlAreReadOneByOne) {
  const std::string one = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
  EXPECT_THAT(Found(StrCat(kList, "---\n", one, "---\na: [\n---\n", one)),
              ElementsAre("f:4 Pod a/one", "f:13 Pod /two", "f:18 Pod /a", HasSubstr("f:25 Pod /a"),
                          HasSubstr("? ")));
}

TEST(DumpObjectsTest, ItemsMayBeIndented) {
  EXPECT_THAT(Found("kind: PodList\napiVersion: v1\nitems:\n  - metadata:\n      name: a\n"
                    "# comment\n\n  - metadata:\n      name: b\n    spec:\n      c:\n"
                    "      - d\nmetadata: {}\n"),
              ElementsAre("f:4 Pod /a", "f:8 Pod /b"));
}

TEST(DumpObjectsTest, ObjectsThatAreTooLargeAreNotParsed) {
  const std::string object =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":[)";
  std::string arrays;
  for (size_t i = 0; i < DumpObjects::kMaxObject / 3; ++i) arrays += "[],";
  const std::string json = StrCat(object, arrays, "[]]}");
  const auto too_large = HasSubstr("is larger than 3145728 bytes");
  EXPECT_THAT(Found(json), ElementsAre(too_large));
  EXPECT_THAT(Found(StrCat(R"({"kind":"List","apiVersion":"v1","items":[)", json, ",", kPod, "]}")),
              ElementsAre("f:1, item 2 Pod /a", too_large));
  EXPECT_THAT(Found(StrCat("items:\n- ", json, "\n- ", kPod, "\nkind: List\napiVersion: v1\n")),
              ElementsAre("f:3 Pod /a", too_large));
  EXPECT_THAT(Found(StrCat("a: [", arrays, "]\n---\n", kPod, "\n")),
              ElementsAre("f:2 Pod /a", too_large));
  EXPECT_THAT(Found(StrCat(R"({"kind":"List","x":[)", arrays, R"([]],"items":[]})")),
              ElementsAre(too_large));
  // Indentation does not count.
  std::string indented = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\ndata:\n";
  while (indented.size() <= DumpObjects::kMaxObject) {
    StrAppend(&indented, "  k", indented.size(), ": |\n", std::string(500, ' '), "x\n");
  }
  EXPECT_THAT(Found(indented), ElementsAre("f:1 Pod /a"));
}

TEST(DumpObjectsTest, ProblemsBeyondSomeAreCounted) {
  DumpFile file;
  file.path = "f";
  for (size_t i = 0; i < DumpPart::kKept + 7; ++i) file.text += "a: b\n---\n";
  DumpObjects objects(file);
  DumpPart part;
  while (objects.Next(part)) {
  }
  EXPECT_EQ(part.problems.size(), DumpPart::kKept);
  EXPECT_EQ(part.ProblemCount(), DumpPart::kKept + 7);
}

}  // namespace
}  // namespace steward::storage
