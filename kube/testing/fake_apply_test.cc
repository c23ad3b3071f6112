#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fake_client.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

const GroupVersionResource kWidgets{"example.com", "v1", "widgets"};

class FakeApplyTest : public ::testing::Test {
 protected:
  FakeApplyTest() { client_.Serve(kWidgets); }

  absl::StatusOr<json::value> Send(const std::string& manifest, WriteOptions options) {
    return RunOn(io_, client_.Patch(kWidgets, {"n", "a"}, PatchType::kApply, json::parse(manifest),
                                    options));
  }
  // Applies a manifest with these members.
  absl::StatusOr<json::value> Apply(const std::string& manager, const std::string& members,
                                    bool force = false) {
    WriteOptions options;
    options.field_manager = manager;
    options.force = force;
    return Send(StrCat(R"({"apiVersion":"example.com/v1","kind":"Widget",)",
                       R"("metadata":{"name":"a","namespace":"n"})", members, "}"),
                options);
  }
  json::object Stored() {
    return json::parse(client_.Objects(kWidgets).at({"n", "a"})).as_object();
  }
  std::string Spec() {
    const json::object stored = Stored();
    return stored.contains("spec") ? json::serialize(stored.at("spec")) : "";
  }
  // Returns the fields of all managers, in the order of the managers.
  std::string Owned() {
    const json::object stored = Stored();
    std::string text;
    for (const json::value& entry : stored.at("metadata").at("managedFields").as_array()) {
      EXPECT_EQ(entry.at("operation"), "Apply");
      EXPECT_EQ(entry.at("apiVersion"), "example.com/v1");
      EXPECT_EQ(entry.at("fieldsType"), "FieldsV1");
      StrAppend(&text, text.empty() ? "" : " ", std::string(entry.at("manager").as_string()), " ",
                json::serialize(entry.at("fieldsV1")));
    }
    return text;
  }

  boost::asio::io_context io_;
  FakeClient client_;
};

TEST_F(FakeApplyTest, CreatesWhatIsAbsent) {
  ASSERT_OK_AND_ASSIGN(const json::value made,
                       Apply("me", R"(,"spec":{"b":[1],"c":{},"d":null},"status":{"x":1})"));
  EXPECT_EQ(made, json::value(Stored()));
  EXPECT_EQ(made.at("kind"), "Widget");
  EXPECT_FALSE(made.as_object().contains("status"));
  const json::value& metadata = made.at("metadata");
  EXPECT_EQ(metadata.at("name"), "a");
  EXPECT_EQ(metadata.at("namespace"), "n");
  EXPECT_EQ(metadata.at("generation"), 1);
  EXPECT_TRUE(metadata.as_object().contains("uid"));
  EXPECT_TRUE(metadata.as_object().contains("resourceVersion"));
  EXPECT_EQ(Spec(), R"({"b":[1],"c":{}})");
  EXPECT_EQ(Owned(), R"(me {"f:spec":{"f:b":{},"f:c":{},"f:d":{}}})");
}

TEST_F(FakeApplyTest, OneAfterAnother) {
  struct Case {
    const char* name;
    std::vector<std::pair<std::string, std::string>> applies;  // pairs of a manager and its spec
    std::string spec;
    std::string owned;
  };
  for (const Case& tc : std::vector<Case>{
           {"a field changes",
            {{"me", R"({"x":1})"}, {"me", R"({"x":2})"}},
            R"({"x":2})",
            R"(me {"f:spec":{"f:x":{}}})"},
           {"a field goes",
            {{"me", R"({"x":1,"y":{"z":1}})"}, {"me", R"({"x":1})"}},
            R"({"x":1})",
            R"(me {"f:spec":{"f:x":{}}})"},
           {"a list is one value",
            {{"me", R"({"x":[1,2]})"}, {"me", R"({"x":[3]})"}},
            R"({"x":[3]})",
            R"(me {"f:spec":{"f:x":{}}})"},
           {"an empty object gets members",
            {{"me", R"({"x":{}})"}, {"me", R"({"x":{"y":1}})"}},
            R"({"x":{"y":1}})",
            R"(me {"f:spec":{"f:x":{"f:y":{}}}})"},
           {"and loses them",
            {{"me", R"({"x":{"y":1}})"}, {"me", R"({"x":{}})"}},
            R"({"x":{}})",
            R"(me {"f:spec":{"f:x":{}}})"},
           {"a field of another stays",
            {{"me", R"({"x":1,"y":1})"}, {"you", R"({"y":1,"z":1})"}, {"me", R"({"x":1})"}},
            R"({"x":1,"y":1,"z":1})",
            R"(me {"f:spec":{"f:x":{}}} you {"f:spec":{"f:y":{},"f:z":{}}})"},
           {"an empty object is no conflict with the members of another",
            {{"you", R"({"x":{"y":1}})"}, {"me", R"({"x":{}})"}},
            R"({"x":{"y":1}})",
            R"(you {"f:spec":{"f:x":{"f:y":{}}}} me {"f:spec":{"f:x":{}}})"},
       }) {
    SCOPED_TRACE(tc.name);
    client_.Withdraw(kWidgets);
    client_.Serve(kWidgets);
    for (const auto& [manager, spec] : tc.applies) {
      ASSERT_OK(Apply(manager, StrCat(R"(,"spec":)", spec)).status());
    }
    EXPECT_EQ(Spec(), tc.spec);
    EXPECT_EQ(Owned(), tc.owned);
  }
}

TEST_F(FakeApplyTest, KeepsWhatNobodyAppliedAndChangesNothingTwice) {
  client_.Put(kWidgets, R"({"metadata":{"namespace":"n","name":"a","generation":1},
                            "spec":{"old":1},"status":5})");
  ASSERT_OK(Apply("me", R"(,"spec":{"new":1})").status());
  EXPECT_EQ(Spec(), R"({"old":1,"new":1})");
  EXPECT_EQ(Stored().at("status"), 5);
  EXPECT_EQ(Stored().at("metadata").at("generation"), 2);
  const uint64_t revision = client_.revision();
  ASSERT_OK(Apply("me", R"(,"spec":{"new":1})").status());
  EXPECT_EQ(client_.revision(), revision);
  // An apply that does not change the content changes only managedFields.
  ASSERT_OK(Apply("you", R"(,"spec":{"new":1})").status());
  EXPECT_GT(client_.revision(), revision);
  EXPECT_EQ(Stored().at("metadata").at("generation"), 2);
}

TEST_F(FakeApplyTest, Conflicts) {
  ASSERT_OK(Apply("you", R"(,"spec":{"x":1,"y":{"z":1},"l":[1]})").status());
  ASSERT_OK(Apply("they", R"(,"spec":{"x":1})").status());
  const uint64_t revision = client_.revision();
  const absl::Status refused = Apply("me", R"(,"spec":{"x":2,"y":1,"l":[1],"new":3})").status();
  const Status status = FromStatus(refused);
  EXPECT_EQ(status.code, 409);
  EXPECT_EQ(status.reason, "Conflict");
  EXPECT_EQ(status.message,
            "Apply failed with 3 conflicts: conflict with \"you\": .spec.x, conflict with "
            "\"you\": .spec.y, conflict with \"they\": .spec.x");
  ASSERT_EQ(status.causes.size(), 3U);
  EXPECT_EQ(status.causes[2],
            (StatusCause{"FieldManagerConflict", "conflict with \"they\"", ".spec.x"}));
  EXPECT_EQ(client_.revision(), revision);

  ASSERT_OK(Apply("me", R"(,"spec":{"x":2,"y":1,"l":[1],"new":3})", /*force=*/true).status());
  EXPECT_EQ(Spec(), R"({"l":[1],"x":2,"y":1,"new":3})");
  EXPECT_EQ(Owned(), R"(you {"f:spec":{"f:l":{}}} )"
                     R"(me {"f:spec":{"f:l":{},"f:new":{},"f:x":{},"f:y":{}}})");
  EXPECT_EQ(FromStatus(Apply("you", R"(,"spec":{"x":1})").status()).message,
            "Apply failed with 1 conflict: conflict with \"me\": .spec.x");
}

// managedFields here have the form that a kube-apiserver writes for kinds with a schema.
TEST_F(FakeApplyTest, ItemsOfListsOfOthersAreTheWholeList) {
  client_.Put(kWidgets, R"({"metadata":{"namespace":"n","name":"a","managedFields":[
      {"manager":"you","operation":"Update","fieldsV1":
        {"f:spec":{".":{},"f:l":{".":{},"k:{\"name\":\"x\"}":{".":{},"f:name":{}}}}}}]},
      "spec":{"l":[{"name":"x"}]}})");
  EXPECT_EQ(FromStatus(Apply("me", R"(,"spec":{"l":[]})").status()).message,
            "Apply failed with 1 conflict: conflict with \"you\": .spec.l");
}

TEST_F(FakeApplyTest, DryRunsAndPreconditions) {
  WriteOptions options;
  options.field_manager = "me";
  options.dry_run = true;
  const auto manifest = [](const std::string& metadata) {
    return StrCat(R"({"apiVersion":"v1","kind":"Widget","metadata":{"name":"a")", metadata, "}}");
  };
  ASSERT_OK(Send(manifest(""), options).status());
  EXPECT_TRUE(client_.Objects(kWidgets).empty());
  options.dry_run = false;
  const auto code = [&](const std::string& text) {
    return FromStatus(Send(text, options).status()).code;
  };
  EXPECT_EQ(code(manifest(R"(,"uid":"u")")), 409);
  ASSERT_OK(Send(manifest(""), options).status());
  EXPECT_EQ(code(manifest(R"(,"uid":"another")")), 409);
  EXPECT_EQ(code(manifest(R"(,"resourceVersion":"1")")), 409);
  EXPECT_EQ(code(manifest(R"(,"namespace":"m")")), 400);
  EXPECT_EQ(code(manifest(R"(,"managedFields":[])")), 400);
  EXPECT_EQ(code(R"({"apiVersion":"v1","kind":"W","metadata":{"name":"b"}})"), 400);
  EXPECT_EQ(code(R"({"metadata":{"name":"a"}})"), 400);
  options.field_manager = "";
  EXPECT_EQ(code(manifest("")), 422);
}

}  // namespace
}  // namespace steward::kube
