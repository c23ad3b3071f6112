#include "olm/copy/stored_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "olm/copy/content.h"
#include "olm/decode.h"
#include "olm/objects.h"

namespace steward::olm {
namespace {

StoredCopy Read(const std::string& json) { return *ReadStoredCopy(json); }

TEST(StoredCopyTest, ReadsIdentityAndMarks) {
  const StoredCopy copy = Read(R"({"metadata":{"name":"n","namespace":"red","uid":"u",
      "resourceVersion":"7","deletionTimestamp":"2026-01-02T03:04:05Z",
      "labels":{"olm.copiedFrom":"ops"},"annotations":{"olm.operatorNamespace":"ops"}},
      "spec":{},"status":{"reason":"Copied"}})");
  EXPECT_EQ(copy.key, (kube::NamespacedName{"red", "n"}));
  EXPECT_EQ(copy.uid, "u");
  EXPECT_EQ(copy.resource_version, "7");
  EXPECT_TRUE(copy.deleting);
  EXPECT_EQ(copy.copied_from, "ops");
  EXPECT_EQ(copy.operator_namespace, "ops");
  EXPECT_EQ(copy.reason, "Copied");
}

TEST(StoredCopyTest, RefusesWhatIsNoObject) {
  for (const char* json : {"", "[]", "{}", R"({"metadata":[]})", R"({"metadata":{}})", "{"}) {
    EXPECT_THAT(ReadStoredCopy(json), StatusIs(absl::StatusCode::kInvalidArgument)) << json;
  }
}

// A server's answer differs from what was sent in order, spaces and metadata.
TEST(StoredCopyTest, ContentIsWhatIsMeant) {
  constexpr char kA[] = R"({"metadata":{"name":"n","labels":{"a":"1","b":"2"}},
      "spec":{"x":[1,{"p":1.50,"q":"\u00e9"}],"y":null},"status":{"s":1,"t":2}})";
  struct Row {
    const char* name;
    const char* json;
    bool same;
  };
  const Row rows[] = {
      {"order and spelling", R"({"status":{"t":2,"s":1},"metadata":{"labels":{"b":"2","a":"1"},
          "name":"n"},"spec":{"y":null,"x":[1,{"q":"é","p":1.5}]}})",
       true},
      {"other metadata", R"({"metadata":{"name":"n","uid":"u","finalizers":["f"],"annotations":{},
          "managedFields":[{}],"labels":{"a":"1","b":"2"}},
          "spec":{"x":[1,{"p":1.5,"q":"é"}],"y":null},"status":{"s":1,"t":2}})",
       true},
      {"a label", R"({"metadata":{"name":"n","labels":{"a":"1","b":"3"}},
          "spec":{"x":[1,{"p":1.5,"q":"é"}],"y":null},"status":{"s":1,"t":2}})",
       false},
      {"an annotation", R"({"metadata":{"name":"n","labels":{"a":"1","b":"2"},
          "annotations":{"c":""}},"spec":{"x":[1,{"p":1.5,"q":"é"}],"y":null},
          "status":{"s":1,"t":2}})",
       false},
      {"the order of a list", R"({"metadata":{"name":"n","labels":{"a":"1","b":"2"}},
          "spec":{"x":[{"p":1.5,"q":"é"},1],"y":null},"status":{"s":1,"t":2}})",
       false},
      {"the status", R"({"metadata":{"name":"n","labels":{"a":"1","b":"2"}},
          "spec":{"x":[1,{"p":1.5,"q":"é"}],"y":null},"status":{"s":1}})",
       false},
  };
  for (const Row& row : rows) EXPECT_EQ(Read(kA).SameContent(Read(row.json)), row.same) << row.name;
  EXPECT_EQ(Read(R"({"metadata":{"name":"n"}})").status, "{}");
  EXPECT_EQ(Read(R"({"metadata":{"name":"n"}})").body,
            R"({"labels":{},"annotations":{},"spec":{}})");
}

TEST(StoredCopyTest, ACopyIsEqualToItself) {
  const CsvPtr original = *DecodeCsv(R"({"metadata":{"name":"n","namespace":"ops","uid":"u",
      "labels":{"z":"1","a":"2"}},"spec":{"b":1,"a":2},"status":{"phase":"Succeeded"}})");
  EXPECT_TRUE(Read(CopyJson(*original, "red")).SameContent(Read(CopyJson(*original, "blue"))));
  EXPECT_TRUE(IsProvenCopy(Read(CopyJson(*original, "red"))));
  EXPECT_TRUE(MayOverwrite(Read(CopyJson(*original, "red")), "ops"));
}

TEST(StoredCopyTest, WhoMayBeTouched) {
  struct Row {
    const char* name;
    std::optional<std::string> label;
    const char* reason;
    std::optional<std::string> annotation;
    bool overwrite;  // by an original in ops
    bool proven;
  };
  const Row rows[] = {
      {"a copy", "ops", "Copied", "ops", true, true},
      {"a copy in the making", "ops", "", "ops", true, true},
      {"in the making, of an original without annotations", "ops", "", {}, true, false},
      {"a copy with an edited status", "ops", "InstallSucceeded", "ops", true, true},
      {"labelled by a user", "ops", "InstallSucceeded", {}, true, false},
      {"a copy of another original", "tools", "Copied", "tools", true, true},
      {"a copy whose label was edited", "else", "InstallSucceeded", "ops", true, false},
      {"labelled with somebody else", "else", "InstallSucceeded", {}, false, false},
      {"labelled with nobody", "", "InstallSucceeded", {}, false, false},
      {"a copy whose label was emptied", "", "Copied", "ops", true, false},
      {"labelled with its own namespace", "red", "Copied", "red", true, false},
      {"an original", {}, "InstallSucceeded", "red", false, false},
      {"a copy that lost its label", {}, "Copied", "ops", false, false},
  };
  for (const Row& row : rows) {
    StoredCopy stored;
    stored.key = {"red", "n"};
    stored.copied_from = row.label;
    stored.reason = row.reason;
    stored.operator_namespace = row.annotation;
    EXPECT_EQ(MayOverwrite(stored, "ops"), row.overwrite) << row.name;
    EXPECT_EQ(IsProvenCopy(stored), row.proven) << row.name;
    EXPECT_FALSE(MayOverwrite(stored, "red")) << row.name << ": nothing copies into its own";
  }
}

}  // namespace
}  // namespace steward::olm
