#include <set>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "plugin/saving/save_folder.h"
#include "plugin/saving/save_index.h"
#include "plugin/saving/saved_object.h"
#include "plugin/saving/saved_path.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SavedPathTest, FileNamesAreSafe) {
  struct Case {
    std::string name;
    std::string want;
  };
  for (const Case& c : {
           Case{"web-1.example", "web-1.example"},
           Case{"system:node:a", "system%3Anode%3Aa"},
           Case{"..", "%2E."},
           Case{".hidden", "%2Ehidden"},
           Case{"Upper", "%55pper"},
           Case{"a b%c", "a%20b%25c"},
           Case{"a\nb", "a%0Ab"},
       }) {
    EXPECT_EQ(SafeFileName(c.name), c.want);
  }
}

TEST(SavedPathTest, LongNamesFitAndStayApart) {
  std::set<std::string> seen;
  for (const char last : {'a', 'b', 'c'}) {
    const std::string name = std::string(252, 'x') + last;
    const std::string file = SafeFileName(name);
    EXPECT_LE(file.size() + sizeof(".yaml.1234567890.tmp"), 255u);
    EXPECT_TRUE(seen.insert(file).second);
  }
  // This short name equals the cut form of another.
  EXPECT_TRUE(seen.insert(SafeFileName(*seen.begin())).second);
}

TEST(SavedPathTest, ClusterScopedObjectsHaveAFolderOfTheirOwn) {
  EXPECT_EQ(SavedPath("gadgets.example.com", {"", "g"}), "gadgets.example.com/_cluster/g.yaml");
  EXPECT_EQ(SavedPath("widgets.example.com", {"a", "w"}), "widgets.example.com/a/w.yaml");
}

SaveIndex TestIndex() {
  SaveIndex index;
  index.csv = kCsv;
  index.csv_uid = "uid-1";
  index.saved_at = "2023-11-14T22:13:20Z";
  index.complete = true;
  index.resources = {
      {"gadgets.example.com", {"example.com", "v1", "Gadget"}, "gadgets", true, {{"", "g"}}},
      {"widgets.example.com",
       {"example.com", "v1", "Widget"},
       "widgets",
       false,
       {{"a", "w1"}, {"b", "w2"}}}};
  return index;
}

TEST(SaveIndexTest, ReadsBackWhatItWrites) {
  const SaveIndex index = TestIndex();
  ASSERT_OK_AND_ASSIGN(const SaveIndex back, DecodeIndex(EncodeIndex(index)));
  EXPECT_EQ(back, index);
  EXPECT_EQ(back.objects(), 3u);
}

TEST(SaveIndexTest, RefusesWhatItDidNotWrite) {
  const std::string good = EncodeIndex(TestIndex());
  struct Case {
    const char* from;
    const char* to;
  };
  for (const Case& c : {
           Case{R"("name": "w1")", R"("name": "../../../etc/passwd")"},
           Case{R"("name": "w1")", R"("name": "..")"},
           Case{R"("namespace": "a")", R"("namespace": "../a")"},
           Case{R"("namespace": "a",)", ""},
           Case{R"("definition": "widgets.example.com")", R"("definition": "../example.com")"},
           Case{R"("plural": "widgets")", R"("plural": "pods")"},
           Case{R"("version": "v1")", R"("version": "../v1")"},
           Case{R"("count": 2)", R"("count": 3)"},
           Case{R"("kind": "SavedOperands")", R"("kind": "Other")"},
           Case{R"("uid": "uid-1")", R"("uid": "")"},
           Case{"{", "["},
       }) {
    std::string bad = good;
    const size_t pos = bad.find(c.from);
    ASSERT_NE(pos, std::string::npos) << c.from;
    bad.replace(pos, std::string(c.from).size(), c.to);
    EXPECT_THAT(DecodeIndex(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << c.to;
  }
}

const SavedResource kWidgetResource{
    "widgets.example.com", {"example.com", "v1", "Widget"}, "widgets", false, {}};
const kube::NamespacedName kWidget{"a", "w1"};

TEST(SavedObjectTest, ServerSetMetadataIsNotSaved) {
  ASSERT_OK_AND_ASSIGN(
      const std::string yaml,
      SavedYaml(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1",)"
                R"("namespace":"a","uid":"u","resourceVersion":"7","generation":2,)"
                R"("creationTimestamp":"t","deletionTimestamp":"t","managedFields":[],)"
                R"("deletionGracePeriodSeconds":0,"selfLink":"/x","labels":{"on":"yes"},)"
                R"("finalizers":["f"]},"spec":{"size":1},"status":{"ready":true}})"));
  EXPECT_EQ(yaml,
            "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  finalizers:\n  - f\n  labels:\n"
            "    \"on\": \"yes\"\n  name: w1\n  namespace: a\nspec:\n  size: 1\nstatus:\n"
            "  ready: true\n");
}

TEST(SavedObjectTest, RestoresWithoutStatusFinalizersAndOwners) {
  ASSERT_OK_AND_ASSIGN(
      const boost::json::value object,
      ObjectToRestore("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1, "
                      "namespace: a, uid: u, finalizers: [f], ownerReferences: [{}], "
                      "labels: {l: v}}\nspec: {size: 1}\nstatus: {ready: true}\n",
                      kWidgetResource, kWidget));
  EXPECT_EQ(object,
            *ParseJson(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1",)"
                       R"("namespace":"a","labels":{"l":"v"}},"spec":{"size":1}})"));
}

TEST(SavedObjectTest, RefusesWhatIsNotTheObject) {
  for (const char* yaml : {
           "apiVersion: v1\nkind: Secret\nmetadata: {name: w1, namespace: a}\n",
           "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w2, namespace: a}\n",
           "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1, namespace: b}\n",
           "apiVersion: example.com/v1\nkind: Widget\n",
           "- a list\n",
           "a: [",
           "",
       }) {
    EXPECT_THAT(ObjectToRestore(yaml, kWidgetResource, kWidget),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << yaml;
  }
}

TEST(SaveFolderTest, AWholeSaveSurvivesTheBeginningOfAnother) {
  TestFolder temporary;
  SaveFolder folder(temporary / "saved");
  SaveIndex index = TestIndex();
  index.complete = false;
  EXPECT_OK(folder.Begin(index));
  ASSERT_OK_AND_ASSIGN(const SaveIndex begun, folder.ReadIndex());
  EXPECT_FALSE(begun.complete);
  index.complete = true;
  EXPECT_OK(folder.Finish(index));
  SaveIndex again = index;
  again.complete = false;
  again.resources.clear();
  EXPECT_OK(folder.Begin(again));
  ASSERT_OK_AND_ASSIGN(const SaveIndex kept, folder.ReadIndex());
  EXPECT_EQ(kept, index);
}

TEST(SaveFolderTest, MakesWhatItLiesIn) {
  TestFolder temporary;
  for (const char* name : {"deep/in/folders", "with/a/slash/"}) {
    EXPECT_OK(SaveFolder(temporary / name).Begin(TestIndex())) << name;
    EXPECT_OK(SaveFolder(temporary / name).ReadIndex()) << name;
  }
}

TEST(SaveFolderTest, OfAnotherObjectIsRefused) {
  TestFolder temporary;
  SaveFolder folder(temporary / "saved");
  EXPECT_OK(folder.Begin(TestIndex()));
  SaveIndex other = TestIndex();
  other.csv_uid = "uid-2";
  EXPECT_THAT(folder.Begin(other),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("uid-1")));
}

}  // namespace
}  // namespace steward::plugin
