#include "olm/copy/content.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "base/text/str_cat.h"
#include "olm/decode.h"
#include "olm/objects.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

CsvPtr Original(const std::string& metadata, const std::string& rest) {
  return *DecodeCsv(StrCat(R"({"metadata":{"name":"etcd.v1","namespace":"foo","uid":"u")", metadata,
                           "}", rest, "}"));
}

// OLM's own test of its copy prototype, and every rule of facts 1.1.
TEST(CopyContentTest, IsWhatOlmCopies) {
  const CsvPtr original = Original(
      R"(,"generateName":"g","finalizers":["f"],"ownerReferences":[{"uid":"x"}],"labels":{
          "operators.coreos.com/foo":"","operators.coreos.com/bar":"","untouched":"fine",
          "olm.managed":"true"},"annotations":{"olm.targetNamespaces":"a,b","preserved":"yes",
          "kubectl.kubernetes.io/last-applied-configuration":"{}","olm.operatorNamespace":"foo"})",
      R"(,"spec":{"version":"1.0.0","cleanup":{"enabled":false},"icon":[{"base64data":"aGk="}]},
          "status":{"phase":"Succeeded","reason":"InstallSucceeded","message":"m",
          "lastUpdateTime":"2026-01-02T03:04:05Z","conditions":[{"phase":"Pending"}],
          "cleanup":{"pendingDeletion":[{"kind":"Secretive","instances":[{"name":"hidden"}]}]}})");
  EXPECT_EQ(json::parse(CopyJson(*original, "red")), json::parse(R"({
      "apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",
      "metadata":{"name":"etcd.v1","namespace":"red",
        "labels":{"untouched":"fine","olm.managed":"true","olm.copiedFrom":"foo"},
        "annotations":{"preserved":"yes","olm.operatorNamespace":"foo"}},
      "spec":{"version":"1.0.0","cleanup":{"enabled":false},"icon":[{"base64data":"aGk="}]},
      "status":{"phase":"Succeeded","reason":"Copied",
        "message":"The operator is running in foo but is managing this namespace",
        "lastUpdateTime":"2026-01-02T03:04:05Z","conditions":[{"phase":"Pending"}],
        "cleanup":{}}})"));
}

TEST(CopyContentTest, OfABareOriginal) {
  const CsvPtr original = Original("", "");
  EXPECT_EQ(json::parse(CopyJson(*original, "red")), json::parse(R"({
      "apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",
      "metadata":{"name":"etcd.v1","namespace":"red","labels":{"olm.copiedFrom":"foo"}},
      "spec":{},"status":{"reason":"Copied",
        "message":"The operator is running in foo but is managing this namespace"}})"));
}

TEST(CopyContentTest, AtHomeNothingIsSaidOfCopies) {
  const CsvPtr original =
      Original(R"(,"labels":{"a":"b"})", R"(,"status":{"reason":"R","message":"m"})");
  Rope out;
  EXPECT_TRUE(AppendLabels(*original, SeenFrom::kOwnNamespace, out));
  out.text().push_back(',');
  AppendStatus(*original, SeenFrom::kOwnNamespace, out);
  EXPECT_EQ(out.Flatten(), R"("labels":{"a":"b"},"status":{"message":"m","reason":"R"})");
  Rope none;
  EXPECT_FALSE(AppendLabels(*Original("", ""), SeenFrom::kOwnNamespace, none));
  EXPECT_FALSE(AppendAnnotations(*Original("", ""), none));
  EXPECT_TRUE(none.empty());
}

TEST(CopyContentTest, LongTextsAreTheSame) {
  const std::string note(5000, 'n');
  const CsvPtr original = Original(
      StrCat(R"(,"annotations":{"alm-examples":")", note, "\"}"),
      StrCat(R"(,"spec":{"description":")", note, R"("},"status":{"phase":")", note, "\"}"));
  const json::value copy = json::parse(CopyJson(*original, "red"));
  EXPECT_EQ(copy.at("metadata").at("annotations").at("alm-examples"), json::value(note));
  EXPECT_EQ(copy.at("spec").at("description"), json::value(note));
  EXPECT_EQ(copy.at("status").at("phase"), json::value(note));
}

}  // namespace
}  // namespace steward::olm
