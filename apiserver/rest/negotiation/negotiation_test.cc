#include "apiserver/rest/negotiation/negotiation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

constexpr char kNone[] = "406";

std::string Print(const OutputFormat& format) {
  static const char* const kForms[] = {"Object", "Table", "Partial", "PartialList"};
  std::string out = format.serializer == Serializer::kYaml ? "yaml" : "json";
  out += std::string(" ") + kForms[static_cast<int>(format.form)];
  if (format.form != Form::kObject) out += " " + format.meta_version;
  if (format.pretty) out += " pretty";
  return out;
}

http::Request RequestWith(const std::string& accept) {
  http::Request request;
  if (accept != "(absent)") request.headers.Add("Accept", accept);
  return request;
}

struct Case {
  std::string name;
  std::string accept;
  std::string resource;  // for a resource
  std::string plain;     // for an error or a discovery document
};

class NegotiationTest : public testing::TestWithParam<Case> {};

TEST_P(NegotiationTest, Resource) {
  const auto format = NegotiateResource(RequestWith(GetParam().accept));
  EXPECT_EQ(format.ok() ? Print(*format) : kNone, GetParam().resource);
}

TEST_P(NegotiationTest, Plain) {
  const auto format = NegotiatePlain(RequestWith(GetParam().accept));
  EXPECT_EQ(format ? Print(*format) : kNone, GetParam().plain);
}

const Case kCases[] = {
    {"Absent", "(absent)", "json Object", "json Object"},
    {"Empty", "", "json Object", "json Object"},
    {"Json", "application/json", "json Object", "json Object"},
    {"Yaml", "application/yaml", "yaml Object", "yaml Object"},
    {"AnyApplication", "application/*", "json Object", "json Object"},
    {"Anything", "*/*", "json Object", "json Object"},
    {"Html", "text/html", kNone, kNone},
    {"Browser", "text/html,application/xhtml+xml,*/*;q=0.8", "json Object", "json Object"},
    {"Protobuf", "application/vnd.kubernetes.protobuf", kNone, kNone},
    {"ProtobufThenJson", "application/vnd.kubernetes.protobuf,application/json", "json Object",
     "json Object"},
    {"Cbor", "application/cbor", kNone, kNone},
    {"Quality", "application/json;q=0.5, application/yaml;q=0.9", "yaml Object", "yaml Object"},
    {"UnknownParameter", "application/json;charset=utf-8", "json Object", "json Object"},
    {"Pretty", "application/json;pretty=1", "json Object pretty", "json Object pretty"},
    {"PrettyTrueIsNotOne", "application/json;pretty=true", "json Object", "json Object"},
    {"PrettyYaml", "application/yaml;pretty=1", "yaml Object", "yaml Object"},
    {"Table", "application/json;as=Table;v=v1;g=meta.k8s.io", "json Table v1", kNone},
    {"AnyOrder", "application/json;g=meta.k8s.io;profile=x;v=v1beta1;as=Table",
     "json Table v1beta1", kNone},
    {"YamlTable", "application/yaml;as=Table;v=v1;g=meta.k8s.io", "yaml Table v1", kNone},
    {"WildcardTable", "*/*;as=Table;v=v1;g=meta.k8s.io", "json Table v1", kNone},
    {"Kubectl",
     "application/json;as=Table;v=v1;g=meta.k8s.io,"
     "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
     "json Table v1", "json Object"},
    {"MetadataClient",
     "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
     "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
     "json PartialList v1", "json Object"},
    {"Partial", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "json Partial v1",
     kNone},
    {"UnknownForm", "application/json;as=Chart;v=v1;g=meta.k8s.io", kNone, kNone},
    {"UnknownFormThenJson", "application/json;as=Chart;v=v1;g=meta.k8s.io,application/json",
     "json Object", "json Object"},
    {"UnknownVersion", "application/json;as=Table;v=v2;g=meta.k8s.io", kNone, kNone},
    {"NoGroup", "application/json;as=Table;v=v1", kNone, kNone},
    {"OtherGroup", "application/json;as=Table;v=v1;g=example.com", kNone, kNone},
    {"GroupOnly", "application/json;g=meta.k8s.io", kNone, kNone},
    {"ServerVersion", "application/json;sv=v1", "json Object", "json Object"},
    {"OtherServerVersion", "application/json;sv=v2", kNone, kNone},
    {"StreamWatch", "application/json;stream=watch", "json Object", "json Object"},
    {"StreamYaml", "application/yaml;stream=watch", kNone, kNone},
    {"OtherStream", "application/json;stream=x", kNone, kNone},
};
INSTANTIATE_TEST_SUITE_P(All, NegotiationTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(NegotiationTest, WhatIsServedIsInTheError) {
  const auto format = NegotiateResource(RequestWith("text/html"));
  ASSERT_FALSE(format.ok());
  const kube::Status status = kube::FromStatus(format.status());
  EXPECT_EQ(status.code, 406);
  EXPECT_EQ(status.message,
            "only the following media types are accepted: application/json, application/yaml");
}

TEST(NegotiationTest, WatchesAreJsonLines) {
  const struct {
    std::string accept;
    std::string want;
  } kRows[] = {
      {"(absent)", "json Object"},
      {"*/*", "json Object"},
      {"application/json;pretty=1", "json Object"},
      {"application/json;stream=watch", "json Object"},
      {"application/yaml", kNone},
      {"application/yaml,application/json;q=0.1", "json Object"},
      {"application/yaml;as=Table;v=v1;g=meta.k8s.io", kNone},
      {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "json Table v1"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.accept);
    http::Request request = RequestWith(row.accept);
    request.headers.Add("User-Agent", "curl/8.0");
    const auto format = NegotiateWatch(request);
    EXPECT_EQ(format.ok() ? Print(*format) : kNone, row.want);
    if (format.ok()) continue;
    EXPECT_EQ(kube::FromStatus(format.status()).message,
              "only the following media types are accepted: application/json;stream=watch");
  }
}

TEST(PrettyTest, QueryBeforeUserAgent) {
  const struct {
    std::string name;
    std::vector<std::pair<std::string, std::string>> query;
    std::string agent;
    bool want;
  } kRows[] = {
      {"nobody asked", {}, "kubectl/v1.36", false},
      {"curl", {}, "curl/8.0", true},
      {"wget", {}, "Wget/1.2", true},
      {"browser", {}, "Mozilla/5.0 (X11)", true},
      {"old browser", {}, "Mozilla/4.0", false},
      {"curl inside", {}, "libcurl", false},
      {"true", {{"pretty", "true"}}, "", true},
      {"1", {{"pretty", "1"}}, "", true},
      {"T", {{"pretty", "T"}}, "", true},
      {"yes is no bool", {{"pretty", "yes"}}, "", false},
      {"false for curl", {{"pretty", "false"}}, "curl/8.0", false},
      {"nonsense for curl", {{"pretty", "x"}}, "curl/8.0", false},
      {"empty for curl", {{"pretty", ""}}, "curl/8.0", true},
      {"first counts", {{"pretty", "0"}, {"pretty", "1"}}, "", false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    http::Request request;
    request.query = row.query;
    request.headers.Add("User-Agent", row.agent);
    const auto format = NegotiateResource(request);
    ASSERT_OK(format);
    EXPECT_EQ(format->pretty, row.want);
  }
}

TEST(ContentTypeTest, Both) {
  EXPECT_EQ(ContentType(Serializer::kJson), "application/json");
  EXPECT_EQ(ContentType(Serializer::kYaml), "application/yaml");
}

}  // namespace
}  // namespace steward::rest
