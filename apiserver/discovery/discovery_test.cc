#include "apiserver/discovery/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/discovery/group_documents.h"
#include "apiserver/discovery/openapi_v3.h"
#include "apiserver/discovery/version_info.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/resource.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "apiserver/views/installed_operator/openapi/openapi.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;
using rest::FakeResource;
using rest::RecordingWriter;
using testing::HasSubstr;

constexpr char kV2[] = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr char kV2Beta1[] =
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
constexpr char kWidgets[] = "/apis/example.com/v1";
constexpr char kOperators[] = "/apis/views.operators.coreos.com/v1alpha1";
constexpr char kObjectMetaRef[] =
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

VoidTask Next(http::Request&, http::ResponseWriter& writer) {
  (void)co_await http::Respond(writer, 418, "text/plain", "next");
}

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest() : fake_({}) {
    rest::Resource operators = fake_.Definition();
    operators.descriptor = {{"views.operators.coreos.com", "v1alpha1", "InstalledOperator"},
                            "installedoperators",
                            "installedoperator",
                            {"iop"},
                            {}};
    operators.subresources[0].name = "icon";
    operators.openapi_schema = views::InstalledOperatorSchema();
    rest::Resource gadgets = fake_.Definition();
    gadgets.descriptor = {{"example.com", "v1", "Gadget"}, "gadgets", "gadget", {}, {}, false};
    gadgets.subresources.clear();
    gadgets.get = nullptr;
    resources_ = {operators, fake_.Definition(), gadgets};

    VersionInfo version{"0",   "1",          "v0.1.0", "abc", "clean", "2026-11-21T00:00:00Z",
                        "g++", "linux/amd64"};
    auto handler = WithDiscovery(resources_, version, clock_, Next);
    EXPECT_OK(handler);
    handler_ = *std::move(handler);
  }

  int Ask(std::string path, std::vector<std::pair<std::string, std::string>> headers = {},
          std::vector<std::pair<std::string, std::string>> query = {}) {
    boost::asio::io_context io;
    http::Request request;
    request.method = "GET";
    request.path = std::move(path);
    request.query = std::move(query);
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    writer_ = RecordingWriter();
    RunOn(io, handler_(request, writer_));
    EXPECT_EQ(writer_.misuse(), "");
    EXPECT_TRUE(writer_.finished());
    return writer_.status();
  }

  json::value Body() {
    JsonLimits strict;
    strict.refuse_duplicate_keys = true;
    auto body = ParseJson(writer_.body(), strict);
    EXPECT_OK(body);
    return body.ok() ? *body : json::value();
  }

  FakeResource fake_;
  FakeClock clock_;
  std::vector<rest::Resource> resources_;
  http::Handler handler_;
  RecordingWriter writer_;
};

// Compares with testdata/<name>; with UPDATE_GOLDENS=<the repository>, writes it instead.
void ExpectGolden(const std::string& name, const std::string& got) {
  const std::string path = "apiserver/discovery/testdata/" + name;
  if (const char* repository = std::getenv("UPDATE_GOLDENS")) {
    std::ofstream(std::string(repository) + "/" + path) << got;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream want;
  want << file.rdbuf();
  EXPECT_EQ(got, want.str()) << path;
}

TEST_F(DiscoveryTest, Goldens) {
  const struct {
    std::string golden, path, accept;
  } kRows[] = {
      {"groups.json", "/apis", ""},
      {"groups.yaml", "/apis", "application/yaml"},
      {"aggregated_v2.json", "/apis", kV2},
      {"aggregated_v2beta1.json", "/apis", kV2Beta1},
      {"group.json", "/apis/example.com", ""},
      {"widgets_resources.json", kWidgets, ""},
      {"operators_resources.json", kOperators, ""},
      {"operators_resources.yaml", kOperators, "application/yaml"},
      {"version.json", "/version", ""},
      {"openapi_v3.json", "/openapi/v3", ""},
      {"openapi_v3_widgets.json", "/openapi/v3/apis/example.com/v1", ""},
      {"openapi_v3_operators.json", "/openapi/v3/apis/views.operators.coreos.com/v1alpha1", ""},
      {"openapi_v2.json", "/openapi/v2", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.golden);
    ASSERT_EQ(Ask(row.path, {{"Accept", row.accept}}, {{"pretty", "true"}}), 200);
    // Indented for the reader of the golden; documents that are never sent so, too.
    ExpectGolden(row.golden, row.golden.ends_with(".json") ? IndentJson(writer_.body()) + "\n"
                                                           : writer_.body());
  }
}

TEST_F(DiscoveryTest, Paths) {
  const struct {
    std::string path;
    int status;
  } kRows[] = {
      {"/apis", 200},
      {"/apis/", 200},
      {"/apis/example.com", 200},
      {"/apis/example.com/", 200},
      {kWidgets, 200},
      {std::string(kWidgets) + "/", 200},
      {"/version", 200},
      {"/version/", 200},
      {"/openapi/v2", 200},
      {"/openapi/v3", 200},
      {"/openapi/v3/apis/example.com/v1", 200},
      {"/", 418},
      {"/api", 418},
      {"/apis/other.com", 418},
      {"/apis/example.com/v2", 418},
      {"/apis/example.com/v1/widgets", 418},
      {"/apis//", 418},
      {"/openapi", 418},
      {"/openapi/v3/", 418},
      {"/openapi/v3/apis/example.com/v2", 418},
      {"/openapi/v3/api/v1", 418},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.path);
    EXPECT_EQ(Ask(row.path), row.status);
  }
}

// The aggregator accepts nothing else on /apis, and knows what it got by the Content-Type.
TEST_F(DiscoveryTest, AggregatedForTheAggregator) {
  const std::string both = std::string(kV2) + "," + kV2Beta1;
  EXPECT_EQ(Ask("/apis", {{"Accept", both}}), 200);
  EXPECT_EQ(writer_.Header("Content-Type"), kV2);
  EXPECT_EQ(writer_.Header("Vary"), "Accept");
  EXPECT_EQ(writer_.Header("Cache-Control"), "public");
  const std::string etag = writer_.Header("ETag");
  EXPECT_EQ(etag.size(), 130u);
  EXPECT_EQ(Ask("/apis", {{"Accept", both}, {"If-None-Match", etag}}), 304);
  EXPECT_EQ(writer_.Header("ETag"), etag);
  // The same tag does not stand for the other form.
  EXPECT_EQ(Ask("/apis", {{"Accept", kV2Beta1}, {"If-None-Match", etag}}), 200);
  EXPECT_EQ(Ask("/apis", {{"If-None-Match", etag}}), 200);
}

TEST_F(DiscoveryTest, WhoGetsWhichGroups) {
  const struct {
    std::string name, accept, type;
  } kRows[] = {
      {"order and unknown parameters do not matter",
       "application/json;as=APIGroupDiscoveryList;profile=nopeer;v=v2;g=apidiscovery.k8s.io", kV2},
      {"kubectl", std::string(kV2) + "," + kV2Beta1 + ",application/json", kV2},
      {"future version, then plain",
       "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json",
       "application/json"},
      {"protobuf first",
       "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
           std::string(kV2),
       kV2},
      {"anything", "*/*", "application/json"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Ask("/apis", {{"Accept", row.accept}}), 200);
    EXPECT_EQ(writer_.Header("Content-Type"), row.type);
  }
  EXPECT_EQ(Ask("/apis", {{"Accept",
                           "application/json;g=apidiscovery.k8s.io;v=v9;"
                           "as=APIGroupDiscoveryList"}}),
            406);
}

// Old hubs send the tag of another document here and take anything but 200 for a failure.
TEST_F(DiscoveryTest, ResourcesAreNeverConditional) {
  EXPECT_EQ(Ask(kWidgets, {{"If-None-Match", "*"}}), 200);
  EXPECT_EQ(writer_.Header("ETag"), "");
  EXPECT_EQ(Ask("/apis/example.com", {{"If-None-Match", "*"}}), 200);
}

TEST_F(DiscoveryTest, RootLeadsToTheDocuments) {
  ASSERT_EQ(Ask("/openapi/v3"), 200);
  const json::value root = Body();
  ASSERT_EQ(root.at("paths").as_object().size(), 2u);
  for (const auto& [key, entry] : root.at("paths").as_object()) {
    const std::string url(entry.at("serverRelativeURL").as_string());
    const size_t query = url.find("?hash=");
    ASSERT_NE(query, std::string::npos);
    EXPECT_EQ(url.substr(0, query), "/openapi/v3/" + std::string(key));
    ASSERT_EQ(Ask(url.substr(0, query), {}, {{"hash", url.substr(query + 6)}}), 200);
    EXPECT_EQ(writer_.Header("ETag"), "\"" + url.substr(query + 6) + "\"");
    EXPECT_EQ(writer_.Header("Cache-Control"), "public, immutable");
  }
}

// What `kubectl explain` does: from the resource's path to a GVK, from there to the schema.
TEST_F(DiscoveryTest, ExplainFindsItsWay) {
  ASSERT_EQ(Ask("/openapi/v3/apis/views.operators.coreos.com/v1alpha1"), 200);
  const json::value document = Body();
  const json::object gvk{{"group", "views.operators.coreos.com"},
                         {"version", "v1alpha1"},
                         {"kind", "InstalledOperator"}};
  const std::string scoped = std::string(kOperators) + "/namespaces/{namespace}/installedoperators";
  for (const std::string& path :
       {std::string(kOperators) + "/installedoperators", scoped, scoped + "/{name}"}) {
    SCOPED_TRACE(path);
    const json::value& get = document.at("paths").at(path).at("get");
    EXPECT_EQ(get.at("x-kubernetes-group-version-kind"), gvk);
  }
  const json::value& schema = document.at("components")
                                  .at("schemas")
                                  .at("com.coreos.operators.views.v1alpha1.InstalledOperator");
  EXPECT_EQ(schema.at("x-kubernetes-group-version-kind"), json::array{gvk});
  EXPECT_EQ(schema.at("properties").at("metadata").at("allOf").at(0).at("$ref"), kObjectMetaRef);
}

void CollectRefs(const json::value& value, std::set<std::string>& refs) {
  if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) CollectRefs(element, refs);
  } else if (const json::object* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (key == "$ref" && member.is_string()) refs.emplace(member.get_string());
      CollectRefs(member, refs);
    }
  }
}

TEST_F(DiscoveryTest, ReferencesResolveAndOperationsAreUnique) {
  const struct {
    std::string path, prefix;
  } kRows[] = {
      {"/openapi/v3/apis/example.com/v1", "#/components/schemas/"},
      {"/openapi/v3/apis/views.operators.coreos.com/v1alpha1", "#/components/schemas/"},
      {"/openapi/v2", "#/definitions/"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.path);
    ASSERT_EQ(Ask(row.path), 200);
    const json::value document = Body();
    const json::value& schemas = row.prefix == "#/definitions/"
                                     ? document.at("definitions")
                                     : document.at("components").at("schemas");
    std::set<std::string> refs, ids;
    CollectRefs(document, refs);
    EXPECT_GE(refs.size(), 5u);
    for (const std::string& ref : refs) {
      ASSERT_TRUE(ref.starts_with(row.prefix)) << ref;
      EXPECT_TRUE(schemas.as_object().contains(ref.substr(row.prefix.size()))) << ref;
    }
    for (const auto& [path, item] : document.at("paths").as_object()) {
      EXPECT_TRUE(ids.emplace(item.at("get").at("operationId").as_string()).second) << path;
    }
  }
}

TEST_F(DiscoveryTest, SwaggerHasNoAllOf) {
  ASSERT_EQ(Ask("/openapi/v2"), 200);
  EXPECT_THAT(writer_.body(), testing::Not(HasSubstr("allOf")));
  EXPECT_THAT(writer_.body(), testing::Not(HasSubstr("components")));
}

TEST_F(DiscoveryTest, AbsentVerbsHaveNoPath) {
  ASSERT_EQ(Ask("/openapi/v3/apis/example.com/v1"), 200);
  const json::value document = Body();
  const json::object& paths = document.at("paths").as_object();
  EXPECT_TRUE(paths.contains("/apis/example.com/v1/gadgets"));
  EXPECT_FALSE(paths.contains("/apis/example.com/v1/gadgets/{name}"));
  EXPECT_FALSE(paths.contains("/apis/example.com/v1/namespaces/{namespace}/gadgets"));
  EXPECT_TRUE(paths.contains("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/picture"));
}

TEST_F(DiscoveryTest, ABadSchemaIsAnError) {
  for (const char* schema : {"{", "[]", ""}) {
    resources_[0].openapi_schema = schema;
    EXPECT_FALSE(WithDiscovery(resources_, {}, clock_, Next).ok());
  }
}

TEST(GroupResourcesTest, KeepsTheOrder) {
  const auto resource = [](std::string group, std::string version, std::string kind) {
    rest::Resource r;
    r.descriptor.gvk = {std::move(group), std::move(version), std::move(kind)};
    return r;
  };
  const std::vector<rest::Resource> resources = {resource("b", "v2", "X"), resource("a", "v1", "Y"),
                                                 resource("b", "v1", "X"),
                                                 resource("b", "v2", "Z")};
  const std::vector<ServedGroup> groups = GroupResources(resources);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "b");
  ASSERT_EQ(groups[0].versions.size(), 2u);
  EXPECT_EQ(groups[0].versions[0].version, "v2");
  EXPECT_EQ(groups[0].versions[0].resources.size(), 2u);
  EXPECT_EQ(groups[1].name, "a");
  EXPECT_THAT(ApiGroup(groups[0]),
              HasSubstr(R"("preferredVersion":{"groupVersion":"b/v2","version":"v2"})"));
}

TEST(SchemaNameTest, ReversesTheDomain) {
  EXPECT_EQ(SchemaName({"views.operators.coreos.com", "v1alpha1", "InstalledOperator"}),
            "com.coreos.operators.views.v1alpha1.InstalledOperator");
  EXPECT_EQ(SchemaName({"apps", "v1", "Deployment"}), "apps.v1.Deployment");
}

}  // namespace
}  // namespace steward::discovery
