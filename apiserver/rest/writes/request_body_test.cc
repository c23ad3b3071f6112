#include "apiserver/rest/writes/request_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "apiserver/http/message/message.h"
#include "apiserver/rest/writes/write_parameters.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::rest {
namespace {

using namespace std::string_literals;  // NOLINT: for texts with zeros in them
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

const std::vector<std::string> kEveryType = {
    "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml"};

http::Request RequestWith(const std::string& type, std::string body = "") {
  http::Request request;
  if (type != "(absent)") request.headers.Add("Content-Type", type);
  request.body = std::move(body);
  return request;
}

kube::Status ErrorOf(const absl::Status& status) { return kube::FromStatus(status); }

TEST(BodyFormatTest, ContentTypes) {
  const struct {
    std::string type;
    int code;  // 0 = fine
    BodyFormat format;
  } kRows[] = {
      {"(absent)", 0, BodyFormat::kJson},
      {"", 0, BodyFormat::kJson},
      {"application/json", 0, BodyFormat::kJson},
      {"application/json; charset=utf-8", 0, BodyFormat::kJson},
      {" Application/JSON ;q=1", 0, BodyFormat::kJson},
      {"application/yaml", 0, BodyFormat::kYaml},
      {"application/vnd.kubernetes.protobuf", 415, {}},
      {"application/cbor", 415, {}},
      {"application/x-www-form-urlencoded", 415, {}},
      {"text/plain", 415, {}},
      {"application/merge-patch+json", 415, {}},
      {"application/jsonx", 415, {}},
      {"*/*", 415, {}},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.type);
    const auto got = BodyFormatOf(RequestWith(row.type), /*protobuf=*/false);
    if (row.code == 0) {
      EXPECT_THAT(got, IsOkAndHolds(row.format));
      continue;
    }
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(ErrorOf(got.status()).code, row.code);
    EXPECT_EQ(ErrorOf(got.status()).reason, "UnsupportedMediaType");
    EXPECT_EQ(ErrorOf(got.status()).message,
              "the body of the request was in an unknown format - accepted media types include: "
              "application/json, application/yaml");
  }
}

TEST(BodyFormatTest, Protobuf) {
  EXPECT_THAT(BodyFormatOf(RequestWith("application/vnd.kubernetes.protobuf"), true),
              IsOkAndHolds(BodyFormat::kProtobuf));
  EXPECT_THAT(BodyFormatOf(RequestWith("application/json"), true), IsOkAndHolds(BodyFormat::kJson));
  const auto cbor = BodyFormatOf(RequestWith("application/cbor"), true);
  EXPECT_EQ(ErrorOf(cbor.status()).message,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

absl::StatusOr<Body> Parse(BodyFormat format, std::string body,
                           FieldValidation validation = FieldValidation::kWarn) {
  const kube::GroupVersionKind kind{"example.com", "v1", "Widget"};
  return ParseObjectBody(RequestWith("", std::move(body)), format, kind, validation);
}

TEST(ObjectBodyTest, Good) {
  const struct {
    BodyFormat format;
    std::string body;
    std::string json;
  } kRows[] = {
      {BodyFormat::kJson, " {\"a\": [1, 2.5, \"x\"]}\n", R"({"a":[1,2.5,"x"]})"},
      {BodyFormat::kJson, "{}", "{}"},
      {BodyFormat::kYaml, "a:\n- 1\n- x\nb: {c: true}\n", R"({"a":[1,"x"],"b":{"c":true}})"},
      {BodyFormat::kYaml, R"({"a":"b"})", R"({"a":"b"})"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.body);
    ASSERT_OK_AND_ASSIGN(const Body body, Parse(row.format, row.body));
    ASSERT_OK_AND_ASSIGN(const boost::json::value want, ParseJson(row.json));
    EXPECT_EQ(body.value, want);
    EXPECT_THAT(body.warnings, IsEmpty());
  }
}

TEST(ObjectBodyTest, Bad) {
  const std::string prefix = "the object provided is unrecognized (must be of type Widget): ";
  const std::string json = prefix + "couldn't get version/kind; json parse error: ";
  const struct {
    BodyFormat format;
    std::string body;
    std::string start;
    std::string end;
  } kRows[] = {
      {BodyFormat::kJson, "", json, "(<empty>)"},
      {BodyFormat::kJson, "{", json, "({)"},
      {BodyFormat::kJson, "{} x", json, "({} x)"},
      {BodyFormat::kJson, "a: b", json, "(613a2062)"},
      {BodyFormat::kJson, "null", json + "cannot unmarshal null into an object", "(6e756c6c)"},
      {BodyFormat::kJson, "[]", json + "cannot unmarshal array into an object", "(5b5d)"},
      {BodyFormat::kJson, "1", json + "cannot unmarshal number into an object", "(31)"},
      {BodyFormat::kJson, "\"x\"", json + "cannot unmarshal string into an object", "(227822)"},
      {BodyFormat::kJson, "true", json + "cannot unmarshal bool into an object", "(74727565)"},
      {BodyFormat::kJson, "{" + std::string(40, 'a'), json, "({" + std::string(29, 'a') + " ...)"},
      {BodyFormat::kYaml, "a: b: c",
       prefix + "error converting YAML to JSON: yaml: line 1: ", "(613a20623a2063)"},
      {BodyFormat::kYaml, "a: 1\na: 2",
       prefix + "error converting YAML to JSON: yaml: line 2: ", ")"},
      {BodyFormat::kYaml, "- a", json + "cannot unmarshal array into an object", "(2d2061)"},
      {BodyFormat::kYaml, "", json + "cannot unmarshal null into an object", "(<empty>)"},
      {BodyFormat::kJson, std::string(300, '['), json, ")"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.body);
    const auto got = Parse(row.format, row.body);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(ErrorOf(got.status()).code, 400);
    EXPECT_EQ(ErrorOf(got.status()).reason, "BadRequest");
    EXPECT_THAT(ErrorOf(got.status()).message, StartsWith(row.start));
    EXPECT_THAT(ErrorOf(got.status()).message, testing::EndsWith(row.end));
  }
}

TEST(ObjectBodyTest, TooLarge) {
  const std::string body = "{\"a\":\"" + std::string(3 << 20, 'x') + "\"}";
  for (const BodyFormat format : {BodyFormat::kJson, BodyFormat::kYaml}) {
    const auto got = Parse(format, body);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(ErrorOf(got.status()).code, 413);
    EXPECT_EQ(ErrorOf(got.status()).message, "Request entity too large: limit is 3145728");
  }
  const auto patch =
      ParsePatchBody(RequestWith("", body), kube::PatchType::kJsonMerge, FieldValidation::kWarn);
  EXPECT_EQ(ErrorOf(patch.status()).code, 413);
}

TEST(ObjectBodyTest, DuplicateKeys) {
  const std::string twice = R"({"a":1,"b":{"c d":1,"c d":2},"a":3})";
  ASSERT_OK_AND_ASSIGN(Body body, Parse(BodyFormat::kJson, twice, FieldValidation::kIgnore));
  EXPECT_EQ(body.value.at("a"), boost::json::value(3));
  EXPECT_THAT(body.warnings, IsEmpty());

  ASSERT_OK_AND_ASSIGN(body, Parse(BodyFormat::kJson, twice, FieldValidation::kWarn));
  EXPECT_EQ(body.value.at("b").at("c d"), boost::json::value(2));
  EXPECT_THAT(body.warnings, ElementsAre("duplicate field \"c d\""));

  const auto strict = Parse(BodyFormat::kJson, twice, FieldValidation::kStrict);
  ASSERT_FALSE(strict.ok());
  EXPECT_EQ(ErrorOf(strict.status()).code, 400);
  EXPECT_EQ(ErrorOf(strict.status()).message,
            "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: "
            "duplicate field \"c d\"");
}

TEST(ObjectBodyTest, WarningsAreAscii) {
  ASSERT_OK_AND_ASSIGN(const Body body,
                       Parse(BodyFormat::kJson, "{\"\xc3\xa9\\n\":1,\"\xc3\xa9\\n\":1}"));
  EXPECT_THAT(body.warnings, ElementsAre(R"(duplicate field "\303\251\n")"));
}

TEST(ObjectBodyTest, Protobuf) {
  const std::string ns = "k8s\0\n\x0f\n\x02v1\x12\x09Namespace\x12\x05\n\x03\n\x01x"s;
  ASSERT_OK_AND_ASSIGN(const Body body, Parse(BodyFormat::kProtobuf, ns, FieldValidation::kStrict));
  EXPECT_EQ(Serialize(body.value),
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"x"}})");
  EXPECT_THAT(body.warnings, IsEmpty());

  const struct {
    std::string body;
    int code;
    std::string message;
  } kRows[] = {
      {"{}", 400,
       "the object provided is unrecognized (must be of type Widget): provided data does not "
       "appear to be a protobuf message, expected prefix [107 56 115 0] ({})"},
      {"", 400,
       "the object provided is unrecognized (must be of type Widget): empty data (<empty>)"},
      {ns.substr(0, 20), 400,
       "the object provided is unrecognized (must be of type Widget): proto: cannot parse the "
       "envelope (6b3873000a0f0a02763112094e616d6573706163)"},
      {"k8s\0\n\0"s, 415,  // a Widget then
       "the body of the request was in an unknown format - accepted media types include: "
       "application/json, application/yaml"},
      {"k8s\0"s + std::string(3 << 20, 'x'), 413, "Request entity too large: limit is 3145728"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.message);
    const auto got = Parse(BodyFormat::kProtobuf, row.body);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(ErrorOf(got.status()).code, row.code);
    EXPECT_EQ(ErrorOf(got.status()).message, row.message);
  }
}

// Malformed text is reported instead of the duplicate keys in it.
TEST(ObjectBodyTest, DuplicateKeysInMalformedText) {
  const auto got = Parse(BodyFormat::kJson, R"({"a":1,"a":2,)", FieldValidation::kStrict);
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(ErrorOf(got.status()).message, StartsWith("the object provided is unrecognized"));
}

TEST(PatchTypeTest, OnlyWhatIsAccepted) {
  const struct {
    std::string type;
    std::vector<std::string> accepted;
    std::optional<kube::PatchType> want;
  } kRows[] = {
      {"application/json-patch+json", kEveryType, kube::PatchType::kJson},
      {"application/merge-patch+json", kEveryType, kube::PatchType::kJsonMerge},
      {"application/merge-patch+json; charset=utf-8", kEveryType, kube::PatchType::kJsonMerge},
      {"application/strategic-merge-patch+json", kEveryType, kube::PatchType::kStrategicMerge},
      {"application/apply-patch+yaml", kEveryType, kube::PatchType::kApply},
      {"application/strategic-merge-patch+json", {"application/merge-patch+json"}, std::nullopt},
      {"application/json", kEveryType, std::nullopt},
      {"", kEveryType, std::nullopt},
      {"(absent)", kEveryType, std::nullopt},
      {"application/apply-patch+cbor", {"application/apply-patch+cbor"}, std::nullopt},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.type);
    const auto got = ParsePatchType(RequestWith(row.type), row.accepted);
    if (row.want) {
      EXPECT_THAT(got, IsOkAndHolds(*row.want));
      continue;
    }
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(ErrorOf(got.status()).code, 415);
  }
  const auto got = ParsePatchType(RequestWith("text/plain"), {"application/merge-patch+json", "x"});
  EXPECT_EQ(ErrorOf(got.status()).message,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/merge-patch+json, x");
}

TEST(PatchBodyTest, All) {
  const struct {
    kube::PatchType type;
    std::string body;
    std::string error;  // the beginning of the error; "" = none
  } kRows[] = {
      {kube::PatchType::kJson, "[]", ""},
      {kube::PatchType::kJson, "{}", "error decoding patch: cannot unmarshal object into an array"},
      {kube::PatchType::kJsonMerge, R"({"a":null})", ""},
      {kube::PatchType::kJsonMerge, "[]",
       "error decoding patch: cannot unmarshal array into an object"},
      {kube::PatchType::kJsonMerge, "null",
       "error decoding patch: cannot unmarshal null into an object"},
      {kube::PatchType::kJsonMerge, "{", "error decoding patch: line 1"},
      {kube::PatchType::kJsonMerge, "", "error decoding patch: line 1"},
      {kube::PatchType::kStrategicMerge, "{}", ""},
      {kube::PatchType::kStrategicMerge, "a: b", "error decoding patch: line 1"},
      {kube::PatchType::kApply, "a: b", ""},
      {kube::PatchType::kApply, "- b",
       "error decoding YAML: cannot unmarshal array into an object"},
      {kube::PatchType::kApply, "a: b: c", "error decoding YAML: error converting YAML"},
      {kube::PatchType::kJsonMerge, R"({"a":1,"a":1})",
       "error decoding patch: strict decoding error: duplicate field \"a\""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.body);
    const auto got = ParsePatchBody(RequestWith("", row.body), row.type, FieldValidation::kStrict);
    ASSERT_EQ(got.ok(), row.error.empty()) << got.status();
    if (got.ok()) continue;
    EXPECT_EQ(ErrorOf(got.status()).code, 400);
    EXPECT_THAT(ErrorOf(got.status()).message, StartsWith(row.error));
  }
}

}  // namespace
}  // namespace steward::rest
