#include "kube/protobuf/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/protobuf/core.pb.h"
#include "kube/protobuf/meta.pb.h"

namespace steward::kube {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

const std::string kMagic("k8s\0", 4);

std::string ReadFile(const std::string& name) {
  std::ifstream file("kube/protobuf/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

bool IsEmpty(const json::value& value) {
  return value.is_null() || (value.is_object() && value.get_object().empty());
}

// Go's encoder writes null and {} for empty members.
json::value WithoutEmptyMembers(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    json::array result;
    for (const json::value& element : *array) result.push_back(WithoutEmptyMembers(element));
    return result;
  }
  if (!value.is_object()) return value;
  json::object result;
  for (const auto& [key, member] : value.get_object()) {
    json::value kept = WithoutEmptyMembers(member);
    if (!IsEmpty(kept)) result[key] = std::move(kept);
  }
  return result;
}

// Objects as k8s.io/client-go 0.36 encodes them, and the JSON that it writes for the same objects
// (review requests without their answers).
class EncodedByGoTest : public testing::TestWithParam<const char*> {};

TEST_P(EncodedByGoTest, IsItsJsonForm) {
  const std::string name = GetParam();
  ASSERT_OK_AND_ASSIGN(const json::object got,
                       DecodeProtobuf(ReadFile("decoder_corpus/" + name), {"g", "v", "K"}));
  ASSERT_OK_AND_ASSIGN(const json::value want, ParseJson(ReadFile("json/" + name + ".json")));
  // Serialized, so that the order of members counts, too.
  EXPECT_EQ(Serialize(WithoutEmptyMembers(got)), Serialize(WithoutEmptyMembers(want)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EncodedByGoTest,
                         testing::Values("accessreview", "accessreview_path", "clusterrole",
                                         "clusterrolebinding", "configmap", "deleteoptions",
                                         "deleteoptions_empty", "event", "namespace",
                                         "namespace_status", "role", "rolebinding", "rulesreview",
                                         "secret", "serviceaccount"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DecodeProtobufTest, EmptyMembers) {
  ASSERT_OK_AND_ASSIGN(const json::object ns,
                       DecodeProtobuf(ReadFile("decoder_corpus/namespace"), {}));
  EXPECT_EQ(Serialize(ns), R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"x"}})");
  ASSERT_OK_AND_ASSIGN(const json::object account,
                       DecodeProtobuf(ReadFile("decoder_corpus/serviceaccount"), {}));
  EXPECT_EQ(account.at("secrets").at(1), json::value(json::object()));
  ASSERT_OK_AND_ASSIGN(const json::object status,
                       DecodeProtobuf(ReadFile("decoder_corpus/namespace_status"), {}));
  EXPECT_EQ(Serialize(status.at("metadata").at("managedFields").at(0).at("fieldsV1")),
            R"({"f:data":{".":{},"f:k":{}}})");
}

std::string Encode(const std::string& api_version, const std::string& kind,
                   const std::string& raw) {
  protobuf::Envelope envelope;
  envelope.mutable_typemeta()->set_apiversion(api_version);
  envelope.mutable_typemeta()->set_kind(kind);
  envelope.set_raw(raw);
  return kMagic + envelope.SerializeAsString();
}

TEST(DecodeProtobufTest, WhatTheBodyDoesNotSayIsExpected) {
  const struct {
    std::string api_version, kind;
    GroupVersionKind expected;
    std::string want;
  } kRows[] = {
      {"", "", {"", "v1", "Secret"}, R"({"kind":"Secret","apiVersion":"v1"})"},
      {"", "ConfigMap", {"", "v1", "Secret"}, R"({"kind":"ConfigMap","apiVersion":"v1"})"},
      {"v1", "", {"g", "v2", "Secret"}, R"({"kind":"Secret","apiVersion":"v1"})"},
      {"v1", "ConfigMap", {"", "v1", "Secret"}, R"({"kind":"ConfigMap","apiVersion":"v1"})"},
      {"g/v2",
       "DeleteOptions",
       {"", "v1", "DeleteOptions"},
       R"({"kind":"DeleteOptions","apiVersion":"g/v2"})"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    ASSERT_OK_AND_ASSIGN(const json::object got,
                         DecodeProtobuf(Encode(row.api_version, row.kind, ""), row.expected));
    EXPECT_EQ(Serialize(got), row.want);
  }
}

TEST(DecodeProtobufTest, Times) {
  const struct {
    int64_t seconds;
    int32_t nanos;
    std::string want;  // "" = refused
    std::string want_micro;
  } kRows[] = {
      {0, 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
      {1709210096, 999999999, "2024-02-29T12:34:56Z", "2024-02-29T12:34:56.999999Z"},
      {-1, 500000000, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.500000Z"},
      {-62135596800, 0, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
      {-62135596801, 0, "", ""},
      {253402300799, 0, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"},
      {253402300800, 0, "", ""},
      {INT64_MAX, 0, "", ""},
      {0, -1, "1970-01-01T00:00:00Z", ""},
      {0, 1000000000, "1970-01-01T00:00:00Z", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.seconds);
    protobuf::Event event;
    event.mutable_firsttimestamp()->set_seconds(row.seconds);
    event.mutable_firsttimestamp()->set_nanos(row.nanos);
    auto got = DecodeProtobuf(Encode("v1", "Event", event.SerializeAsString()), {});
    EXPECT_EQ(got.ok() ? std::string(got->at("firstTimestamp").as_string()) : "", row.want);
    event.Clear();
    event.mutable_eventtime()->set_seconds(row.seconds);
    event.mutable_eventtime()->set_nanos(row.nanos);
    got = DecodeProtobuf(Encode("v1", "Event", event.SerializeAsString()), {});
    EXPECT_EQ(got.ok() ? std::string(got->at("eventTime").as_string()) : "", row.want_micro);
  }
}

TEST(DecodeProtobufTest, Errors) {
  constexpr auto kMalformed = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnknown = absl::StatusCode::kUnimplemented;
  protobuf::ConfigMap managed;
  managed.mutable_metadata()->add_managedfields()->mutable_fieldsv1()->set_raw("{");
  const std::string name_not_utf8("\x0a\x03\x0a\x01\xff", 5);
  const struct {
    std::string name;
    std::string body;
    absl::StatusCode code;
    std::string message;
  } kRows[] = {
      {"nothing", "", kMalformed, "empty data"},
      {"json", "{}", kMalformed, "does not appear to be a protobuf message"},
      {"half the magic", "k8s", kMalformed, "does not appear to be a protobuf message"},
      {"another style", "k8s\1", kMalformed, "expected prefix [107 56 115 0]"},
      {"magic alone", kMagic, kMalformed, "empty body"},
      {"no envelope", kMagic + "\xff", kMalformed, "proto: cannot parse the envelope"},
      {"cut off", ReadFile("decoder_corpus/configmap").substr(0, 60), kMalformed,
       "cannot parse the envelope"},
      {"no config map", Encode("v1", "ConfigMap", "\x0a\x05"), kMalformed,
       "proto: cannot parse ConfigMap"},
      {"not UTF-8", Encode("v1", "ConfigMap", name_not_utf8), kMalformed,
       "proto: cannot parse ConfigMap"},
      {"managed fields", Encode("v1", "ConfigMap", managed.SerializeAsString()), kMalformed,
       "line 1"},
      {"pod", ReadFile("decoder_corpus/pod"), kUnknown,
       "the binary form of Pod in version v1 is not known"},
      {"another version", Encode("v2", "ConfigMap", ""), kUnknown, "version v2"},
      {"another group", Encode("g/v1", "ConfigMap", ""), kUnknown, "version g/v1"},
      {"too large", kMagic + std::string(3 << 20, 'x'), absl::StatusCode::kResourceExhausted,
       "more than 3145728 bytes"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(DecodeProtobuf(row.body, {"", "v1", "ConfigMap"}),
                StatusIs(row.code, HasSubstr(row.message)));
  }
}

TEST(DecodeProtobufTest, FieldsThatAreNotKnownAreDropped) {
  protobuf::Event event;
  event.set_count(7);  // no field of a Role has this number
  ASSERT_OK_AND_ASSIGN(
      const json::object got,
      DecodeProtobuf(Encode("rbac.authorization.k8s.io/v1", "Role", event.SerializeAsString()),
                     {}));
  EXPECT_EQ(Serialize(got), R"({"kind":"Role","apiVersion":"rbac.authorization.k8s.io/v1"})");
}

}  // namespace
}  // namespace steward::kube
