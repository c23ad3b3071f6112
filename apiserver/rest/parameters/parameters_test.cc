#include "apiserver/rest/parameters/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

http::Request RequestWith(Query query) {
  http::Request request;
  request.info.ns = "ns1";
  request.query = std::move(query);
  return request;
}

struct BadCase {
  std::string name;
  Query query;
  int code;
  std::string message;
};

constexpr char kInvalid[] = "ListOptions.meta.k8s.io \"\" is invalid: ";
constexpr char kNeedsVersion[] =
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is "
    "provided";
constexpr char kNoContinue[] =
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided";
constexpr char kUnknownMatch[] =
    "resourceVersionMatch: Unsupported value: \"Foo\": supported values: \"Exact\", "
    "\"NotOlderThan\", \"\"";
constexpr char kNoInitialEvents[] =
    "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list";
constexpr char kWatchNeedsInitial[] =
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless "
    "sendInitialEvents is provided";

class BadListTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadListTest, Refused) {
  const auto parameters = ParseListParameters(RequestWith(GetParam().query), Resource());
  ASSERT_FALSE(parameters.ok());
  const kube::Status status = kube::FromStatus(parameters.status());
  EXPECT_EQ(status.code, GetParam().code);
  EXPECT_EQ(status.message, GetParam().message);
}

// The messages were taken from kube-apiserver 1.36, except those about versions.
const BadCase kBad[] = {
    {"LimitWord", {{"limit", "x"}}, 400, "strconv.ParseInt: parsing \"x\": invalid syntax"},
    {"LimitEmpty", {{"limit", ""}}, 400, "strconv.ParseInt: parsing \"\": invalid syntax"},
    {"LimitPlus", {{"limit", "+"}}, 400, "strconv.ParseInt: parsing \"+\": invalid syntax"},
    {"LimitSigns", {{"limit", "+-1"}}, 400, "strconv.ParseInt: parsing \"+-1\": invalid syntax"},
    {"LimitTail", {{"limit", "1x"}}, 400, "strconv.ParseInt: parsing \"1x\": invalid syntax"},
    {"LimitSpace", {{"limit", " 1"}}, 400, "strconv.ParseInt: parsing \" 1\": invalid syntax"},
    {"LimitHuge",
     {{"limit", "99999999999999999999"}},
     400,
     "strconv.ParseInt: parsing \"99999999999999999999\": value out of range"},
    {"FirstLimitCounts",
     {{"limit", "x"}, {"limit", "1"}},
     400,
     "strconv.ParseInt: parsing \"x\": invalid syntax"},
    {"TimeoutSeconds",
     {{"timeoutSeconds", "a"}},
     400,
     "strconv.ParseInt: parsing \"a\": invalid syntax"},
    {"LabelSelector",
     {{"labelSelector", "a b"}},
     400,
     "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
    {"FieldSelector", {{"fieldSelector", "x"}}, 400, "invalid selector: 'x'; can't understand 'x'"},
    {"FieldPath",
     {{"fieldSelector", "spec.x=y"}},
     400,
     "\"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
    {"MatchWithoutVersion",
     {{"resourceVersionMatch", "Exact"}},
     422,
     std::string(kInvalid) + kNeedsVersion},
    {"UnknownMatch",
     {{"resourceVersionMatch", "Foo"}, {"resourceVersion", "1"}},
     422,
     std::string(kInvalid) + kUnknownMatch},
    {"UnknownMatchWithoutVersion",
     {{"resourceVersionMatch", "Foo"}},
     422,
     std::string(kInvalid) + "[" + kNeedsVersion + ", " + kUnknownMatch + "]"},
    {"ExactZero",
     {{"resourceVersionMatch", "Exact"}, {"resourceVersion", "0"}},
     422,
     std::string(kInvalid) +
         "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for "
         "resourceVersion \"0\""},
    {"MatchWithContinue",
     {{"resourceVersionMatch", "Exact"}, {"continue", "abc"}},
     422,
     std::string(kInvalid) + "[" + kNeedsVersion + ", " + kNoContinue + "]"},
    {"InitialEventsOfList",
     {{"sendInitialEvents", "true"}},
     422,
     std::string(kInvalid) + kNoInitialEvents},
    {"InitialEventsFalseOfList",
     {{"sendInitialEvents", "false"}},
     422,
     std::string(kInvalid) + kNoInitialEvents},
    {"Everything",
     {{"sendInitialEvents", "1"}, {"resourceVersionMatch", "Foo"}},
     422,
     std::string(kInvalid) + "[" + kNeedsVersion + ", " + kUnknownMatch + ", " + kNoInitialEvents +
         "]"},
    {"WatchInitialEventsAlone",
     {{"watch", "1"}, {"sendInitialEvents", "true"}},
     422,
     std::string(kInvalid) + "resourceVersionMatch: Forbidden: sendInitialEvents requires setting "
                             "resourceVersionMatch to NotOlderThan"},
    {"WatchMatchAlone",
     {{"watch", "1"}, {"resourceVersionMatch", "NotOlderThan"}},
     422,
     std::string(kInvalid) + kWatchNeedsInitial},
    {"WatchExact",
     {{"watch", "1"}, {"resourceVersionMatch", "Exact"}},
     422,
     std::string(kInvalid) + "[" + kWatchNeedsInitial +
         ", resourceVersionMatch: Unsupported value: \"Exact\": supported values: "
         "\"NotOlderThan\"]"},
    {"WatchContinue",
     {{"watch", "1"}, {"continue", "abc"}},
     422,
     std::string(kInvalid) + kNoContinue},
    {"Continue", {{"continue", "abc"}}, 400, "invalid continue token: continue key is not valid"},
    {"VersionWord",
     {{"resourceVersion", "abc"}},
     400,
     "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: "
     "parsing \"abc\": invalid syntax"},
    {"VersionNegative",
     {{"resourceVersion", "-1"}},
     400,
     "invalid resource version: resourceVersion: Invalid value: \"-1\": strconv.ParseUint: "
     "parsing \"-1\": invalid syntax"},
    // Rows for the order of the checks.
    {"LimitBeforeSelector",
     {{"labelSelector", "a b"}, {"limit", "x"}},
     400,
     "strconv.ParseInt: parsing \"x\": invalid syntax"},
    {"SelectorBeforeMatch",
     {{"resourceVersionMatch", "Exact"}, {"fieldSelector", "x"}},
     400,
     "invalid selector: 'x'; can't understand 'x'"},
    {"MatchBeforeFieldPath",
     {{"resourceVersionMatch", "Exact"}, {"fieldSelector", "x=y"}},
     422,
     std::string(kInvalid) + kNeedsVersion},
};
INSTANTIATE_TEST_SUITE_P(All, BadListTest, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

TEST(ListParametersTest, CausesOfInvalid) {
  const auto parameters =
      ParseListParameters(RequestWith({{"resourceVersionMatch", "Foo"}}), Resource());
  const kube::Status status = kube::FromStatus(parameters.status());
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.group, "meta.k8s.io");
  EXPECT_EQ(status.kind, "ListOptions");
  const std::vector<kube::StatusCause> want = {
      {"FieldValueForbidden",
       "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
       "resourceVersionMatch"},
      {"FieldValueNotSupported",
       "Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
       "resourceVersionMatch"}};
  EXPECT_EQ(status.causes, want);
}

TEST(ListParametersTest, VersionAndMatch) {
  const struct {
    std::string name;
    Query query;
    ReadOptions want;
  } kRows[] = {
      {"nothing", {}, {"", ""}},
      {"any", {{"resourceVersion", "0"}}, {"0", ""}},
      {"at least", {{"resourceVersion", "5"}}, {"5", ""}},
      {"empty", {{"resourceVersion", ""}, {"resourceVersionMatch", ""}}, {"", ""}},
      {"not older",
       {{"resourceVersion", "5"}, {"resourceVersionMatch", "NotOlderThan"}},
       {"5", "NotOlderThan"}},
      {"not older than any",
       {{"resourceVersion", "0"}, {"resourceVersionMatch", "NotOlderThan"}},
       {"0", "NotOlderThan"}},
      {"exact", {{"resourceVersion", "5"}, {"resourceVersionMatch", "Exact"}}, {"5", "Exact"}},
      {"legacy exact", {{"resourceVersion", "5"}, {"limit", "500"}}, {"5", "Exact"}},
      {"no limit", {{"resourceVersion", "5"}, {"limit", "0"}}, {"5", ""}},
      {"negative limit", {{"resourceVersion", "5"}, {"limit", "-1"}}, {"5", ""}},
      {"limit and any", {{"resourceVersion", "0"}, {"limit", "500"}}, {"0", ""}},
      {"limit alone", {{"limit", "+500"}}, {"", ""}},
      {"limit and match",
       {{"resourceVersion", "5"}, {"limit", "5"}, {"resourceVersionMatch", "NotOlderThan"}},
       {"5", "NotOlderThan"}},
      {"36 digits",
       {{"resourceVersion", "123456789012345678901234567890123456"}},
       {"123456789012345678901234567890123456", ""}},
      {"unknown keys", {{"foo", "bar"}, {"includeObject", "nonsense"}}, {"", ""}},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    ASSERT_OK_AND_ASSIGN(const ListParameters got,
                         ParseListParameters(RequestWith(row.query), Resource()));
    EXPECT_EQ(got.read.resource_version, row.want.resource_version);
    EXPECT_EQ(got.read.resource_version_match, row.want.resource_version_match);
    EXPECT_FALSE(got.watch);
    EXPECT_EQ(got.selection.ns, "ns1");
  }
}

TEST(ListParametersTest, TheUserIsNamedWhereAStateIs) {
  struct Row {
    Query query;
    std::string want;
  };
  const Row rows[] = {
      {{}, ""},
      {{{"resourceVersion", "0"}}, ""},
      {{{"resourceVersion", "5"}}, "alice"},
      {{{"limit", "2"}, {"continue", "x"}}, "alice"},
  };
  Resource resource;
  resource.pages = true;
  for (const Row& row : rows) {
    http::Request request = RequestWith(row.query);
    request.user.name = "alice";
    ASSERT_OK_AND_ASSIGN(const ListParameters parameters, ParseListParameters(request, resource));
    EXPECT_EQ(parameters.read.asker, row.want);
  }
}

TEST(ListParametersTest, Pages) {
  Resource resource;
  resource.pages = true;
  const struct {
    std::string name;
    Query query;
    int64_t limit;
    std::string token, version, match;
  } kRows[] = {
      {"nothing", {}, 0, "", "", ""},
      {"first", {{"limit", "500"}}, 500, "", "", ""},
      {"negative", {{"limit", "-1"}}, 0, "", "", ""},
      {"next", {{"limit", "500"}, {"continue", "abc"}}, 500, "abc", "", ""},
      {"the rest", {{"continue", "abc"}}, 0, "abc", "", ""},
      {"next of any",
       {{"continue", "abc"}, {"limit", "5"}, {"resourceVersion", "0"}},
       5,
       "abc",
       "",
       ""},
      {"any", {{"limit", "500"}, {"resourceVersion", "0"}}, 0, "", "0", ""},
      {"exactly", {{"limit", "500"}, {"resourceVersion", "7"}}, 500, "", "7", "Exact"},
      {"not older",
       {{"limit", "5"}, {"resourceVersion", "7"}, {"resourceVersionMatch", "NotOlderThan"}},
       5,
       "",
       "7",
       "NotOlderThan"},
      {"watch", {{"watch", "1"}, {"limit", "5"}, {"resourceVersion", "7"}}, 0, "", "7", ""},
      {"watch with a token",
       {{"watch", "1"}, {"continue", "abc"}, {"resourceVersion", "7"}},
       0,
       "",
       "7",
       ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    ASSERT_OK_AND_ASSIGN(const ListParameters got,
                         ParseListParameters(RequestWith(row.query), resource));
    EXPECT_EQ(got.read.limit, row.limit);
    EXPECT_EQ(got.read.continue_token, row.token);
    EXPECT_EQ(got.read.resource_version, row.version);
    EXPECT_EQ(got.read.resource_version_match, row.match);
  }
  for (const char* version : {"7", "x"}) {
    const auto bad = ParseListParameters(
        RequestWith({{"continue", "abc"}, {"resourceVersion", version}}), resource);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(kube::FromStatus(bad.status()).code, 400);
    EXPECT_EQ(kube::FromStatus(bad.status()).message,
              "specifying resource version is not allowed when using continue");
  }
}

TEST(ListParametersTest, WithoutPagesTheLimitIsNotPassedOn) {
  ASSERT_OK_AND_ASSIGN(const ListParameters got,
                       ParseListParameters(RequestWith({{"limit", "5"}}), Resource()));
  EXPECT_EQ(got.read.limit, 0);
}

TEST(ListParametersTest, Selectors) {
  const Query query = {{"labelSelector", "a in (x,y),!b"},
                       {"fieldSelector", "metadata.name=n,metadata.namespace!=m"}};
  ASSERT_OK_AND_ASSIGN(const ListParameters got,
                       ParseListParameters(RequestWith(query), Resource()));
  EXPECT_EQ(got.selection.labels.ToString(), "a in (x,y),!b");
  ASSERT_EQ(got.selection.fields.terms().size(), 2u);
  EXPECT_EQ(*got.selection.fields.RequiredValue("metadata.name"), "n");
}

TEST(ListParametersTest, FieldPathsAreTheResources) {
  Resource resource;
  resource.field_paths = {"metadata.name", "status.phase"};
  EXPECT_OK(ParseListParameters(RequestWith({{"fieldSelector", "status.phase=x"}}), resource));
  const auto bad =
      ParseListParameters(RequestWith({{"fieldSelector", "metadata.namespace=x"}}), resource);
  EXPECT_EQ(kube::FromStatus(bad.status()).message,
            "\"metadata.namespace\" is not a known field selector: only \"metadata.name\", "
            "\"status.phase\"");
}

TEST(ListParametersTest, Watch) {
  const struct {
    std::string value;
    bool want;
  } kRows[] = {{"true", true}, {"1", true},      {"foo", true},   {"", true},
               {"0", false},   {"false", false}, {"FALSE", false}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.value);
    ASSERT_OK_AND_ASSIGN(const ListParameters got,
                         ParseListParameters(RequestWith({{"watch", row.value}}), Resource()));
    EXPECT_EQ(got.watch, row.want);
  }
}

TEST(ListParametersTest, WatchOptions) {
  const struct {
    std::string name;
    Query query;
    bool initial_events, bookmarks;
    std::optional<int64_t> timeout;
    std::string match;
  } kRows[] = {
      {"from nowhere", {}, true, false, {}, "NotOlderThan"},
      {"from any", {{"resourceVersion", "0"}}, true, false, {}, "NotOlderThan"},
      {"from any, in other words", {{"resourceVersion", "00"}}, true, false, {}, "NotOlderThan"},
      {"from any, in other words, with a token, which is ignored",
       {{"resourceVersion", "00"}, {"continue", "abc"}},
       true,
       false,
       {},
       "NotOlderThan"},
      {"from a number", {{"resourceVersion", "5"}, {"limit", "7"}}, false, false, {}, ""},
      {"reflector",
       {{"sendInitialEvents", "true"},
        {"resourceVersionMatch", "NotOlderThan"},
        {"allowWatchBookmarks", "true"},
        {"timeoutSeconds", "300"}},
       true,
       true,
       300,
       "NotOlderThan"},
      {"explicitly not",
       {{"sendInitialEvents", "false"}, {"resourceVersionMatch", "NotOlderThan"}},
       false,
       false,
       {},
       "NotOlderThan"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    Query query = row.query;
    query.emplace_back("watch", "true");
    ASSERT_OK_AND_ASSIGN(const ListParameters got,
                         ParseListParameters(RequestWith(query), Resource()));
    EXPECT_EQ(got.send_initial_events, row.initial_events);
    EXPECT_EQ(got.allow_bookmarks, row.bookmarks);
    EXPECT_EQ(got.timeout_seconds, row.timeout);
    EXPECT_EQ(got.read.resource_version_match, row.match);
  }
}

TEST(GetParametersTest, All) {
  const struct {
    std::string name;
    Query query;
    std::string error;  // "" = fine
  } kRows[] = {
      {"nothing", {}, ""},
      {"number", {{"resourceVersion", "5"}}, ""},
      {"limit is for lists", {{"limit", "x"}, {"resourceVersionMatch", "Foo"}}, ""},
      {"export off", {{"export", "false"}}, ""},
      {"export",
       {{"export", "true"}},
       "the export parameter, deprecated since v1.14, is no longer supported"},
      {"bad number",
       {{"resourceVersion", "x"}},
       "invalid resource version: resourceVersion: Invalid value: \"x\": strconv.ParseUint: "
       "parsing \"x\": invalid syntax"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const auto got = ParseGetParameters(RequestWith(row.query));
    ASSERT_EQ(got.ok(), row.error.empty());
    if (got.ok()) continue;
    EXPECT_EQ(kube::FromStatus(got.status()).code, 400);
    EXPECT_EQ(kube::FromStatus(got.status()).message, row.error);
  }
}

TEST(IncludeObjectTest, All) {
  EXPECT_THAT(ParseIncludeObject(RequestWith({})), IsOkAndHolds(IncludeObject::kMetadata));
  const auto parse = [](std::string value) {
    return ParseIncludeObject(RequestWith({{"includeObject", value}}));
  };
  EXPECT_THAT(parse(""), IsOkAndHolds(IncludeObject::kMetadata));
  EXPECT_THAT(parse("Metadata"), IsOkAndHolds(IncludeObject::kMetadata));
  EXPECT_THAT(parse("None"), IsOkAndHolds(IncludeObject::kNone));
  EXPECT_THAT(parse("Object"), IsOkAndHolds(IncludeObject::kObject));
  const auto bad = parse("foo");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(kube::FromStatus(bad.status()).code, 400);
  EXPECT_EQ(kube::FromStatus(bad.status()).message,
            "Unable to convert to Table as requested: includeObject: Invalid value: \"foo\": must "
            "be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace
}  // namespace steward::rest
