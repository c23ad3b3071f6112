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
#include "apiserver/discovery/openapi_parts.h"
#include "apiserver/discovery/version_info.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/mutation.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
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

// A resource that has every verb, none of which is ever called.
class EveryVerb : public rest::Getter,
                  public rest::Lister,
                  public rest::Watcher,
                  public rest::Creator,
                  public rest::Updater,
                  public rest::Patcher,
                  public rest::Deleter {
 public:
  rest::Resource Definition(const kube::GroupVersionKind& gvk, std::string plural,
                            bool namespaced) {
    rest::Resource resource;
    resource.descriptor = {gvk, std::move(plural), "singular", {}, {}, namespaced};
    resource.openapi_schema = R"({"type":"object"})";
    resource.create = this;
    resource.del = this;
    resource.get = this;
    resource.list = this;
    resource.patch = this;
    resource.update = this;
    resource.watch = this;
    resource.patch_types = {"application/merge-patch+json"};
    resource.pages = true;
    rest::Subresource status;
    status.name = "status";
    status.get_object = this;
    status.update = this;
    status.patch = this;
    resource.subresources = {status};
    return resource;
  }

  Task<rest::Reading> Get(const kube::NamespacedName&, const rest::ReadOptions&) override {
    co_return absl::UnimplementedError("");
  }
  Task<rest::Reading> List(const rest::Selection&, const rest::ReadOptions&) override {
    co_return absl::UnimplementedError("");
  }
  Task<std::unique_ptr<rest::EventStream>> Watch(const rest::Selection&,
                                                 const rest::WatchOptions&) override {
    co_return absl::UnimplementedError("");
  }
  Task<rest::WriteResult> Create(const std::string&, json::value,
                                 const kube::WriteOptions&) override {
    co_return absl::UnimplementedError("");
  }
  Task<rest::WriteResult> Update(const kube::NamespacedName&, json::value,
                                 const kube::WriteOptions&) override {
    co_return absl::UnimplementedError("");
  }
  Task<rest::WriteResult> Patch(const kube::NamespacedName&, kube::PatchType, json::value,
                                const kube::WriteOptions&) override {
    co_return absl::UnimplementedError("");
  }
  Task<rest::WriteResult> Delete(const kube::NamespacedName&, const kube::DeleteOptions&) override {
    co_return absl::UnimplementedError("");
  }
};

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
    Serve();
  }

  void Serve() {
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

// Adds stored resources with every verb to the virtual ones.
class StoredDiscoveryTest : public DiscoveryTest {
 protected:
  StoredDiscoveryTest() {
    resources_.push_back(stored_.Definition({"", "v1", "Namespace"}, "namespaces", false));
    resources_.push_back(stored_.Definition({"", "v1", "Event"}, "events", true));
    resources_.push_back(stored_.Definition({"stored.io", "v1alpha1", "Thing"}, "things", true));
    resources_.push_back(stored_.Definition({"stored.io", "v1", "Thing"}, "things", true));
    Serve();
  }

  json::value Path(const std::string& document, const std::string& path) {
    EXPECT_EQ(Ask(document), 200);
    const json::value body = Body();
    const json::value* item = body.at("paths").as_object().if_contains(path);
    EXPECT_NE(item, nullptr) << path;
    return item == nullptr ? json::value(json::object()) : *item;
  }

  EveryVerb stored_;
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
    // Indented to make the golden file readable, even documents that are never sent so.
    ExpectGolden(row.golden, row.golden.ends_with(".json") ? IndentJson(writer_.body()) + "\n"
                                                           : writer_.body());
  }
}

TEST_F(StoredDiscoveryTest, Goldens) {
  const struct {
    std::string golden, path, accept;
  } kRows[] = {
      {"core_versions.json", "/api", ""},
      {"core_resources.json", "/api/v1", ""},
      {"core_aggregated_v2.json", "/api", kV2},
      {"stored_groups.json", "/apis", ""},
      {"openapi_v3_core.json", "/openapi/v3/api/v1", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.golden);
    ASSERT_EQ(Ask(row.path, {{"Accept", row.accept}}), 200);
    ExpectGolden(row.golden, IndentJson(writer_.body()) + "\n");
  }
}

TEST_F(StoredDiscoveryTest, Paths) {
  for (const char* path : {"/api", "/api/", "/api/v1", "/api/v1/", "/openapi/v3/api/v1",
                           "/apis/stored.io/v1", "/openapi/v3/apis/stored.io/v1alpha1"}) {
    EXPECT_EQ(Ask(path), 200) << path;
  }
  for (const char* path : {"/apis//v1", "/api/v2", "/openapi/v3/apis//v1", "/api/v1/namespaces"}) {
    EXPECT_EQ(Ask(path), 418) << path;
  }
}

TEST_F(StoredDiscoveryTest, AnOperationForEachVerb) {
  const struct {
    std::string path;
    std::vector<std::string> operations;
  } kRows[] = {
      {"", {"get", "post"}},
      {"/{name}", {"get", "put", "delete", "patch"}},
      {"/{name}/status", {"get", "put", "patch"}},
  };
  const json::object gvk{{"group", "stored.io"}, {"version", "v1"}, {"kind", "Thing"}};
  for (const auto& row : kRows) {
    for (const std::string document : {"/openapi/v3/apis/stored.io/v1", "/openapi/v2"}) {
      SCOPED_TRACE(document + " " + row.path);
      json::value item =
          Path(document, "/apis/stored.io/v1/namespaces/{namespace}/things" + row.path);
      EXPECT_EQ(item.as_object().size(), row.operations.size() + 1);  // and the parameters
      for (const std::string& operation : row.operations) {
        const json::value* found = item.as_object().if_contains(operation);
        ASSERT_NE(found, nullptr) << operation;
        EXPECT_EQ(found->at("x-kubernetes-group-version-kind"), gvk);
      }
    }
  }
}

// The parameter that `kubectl create` and `kubectl apply` look for before they send a write.
TEST_F(StoredDiscoveryTest, KubectlMayValidate) {
  for (const std::string suffix : {"", "/status"}) {
    const json::value item = Path("/openapi/v3/api/v1", "/api/v1/namespaces/{name}" + suffix);
    std::set<std::string> names;
    for (const json::value& parameter : item.at("patch").at("parameters").as_array()) {
      EXPECT_EQ(parameter.at("in"), "query");
      names.emplace(parameter.at("name").as_string());
    }
    EXPECT_TRUE(names.contains("fieldValidation"));
    EXPECT_TRUE(names.contains("dryRun"));
  }
}

TEST_F(StoredDiscoveryTest, SwaggerBodies) {
  const json::value item = Path("/openapi/v2", "/api/v1/namespaces/{name}");
  const json::value& patch = item.at("patch");
  EXPECT_EQ(patch.at("consumes"), json::array{"application/merge-patch+json"});
  const json::array& parameters = patch.at("parameters").as_array();
  EXPECT_EQ(parameters.back().at("in"), "body");
  EXPECT_EQ(parameters.back().at("schema").at("$ref"),
            "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch");
  EXPECT_FALSE(patch.as_object().contains("requestBody"));
  EXPECT_FALSE(
      item.at("delete").at("parameters").as_array().back().as_object().contains("required"));
}

// Any schema that a user may write: v2 has fewer keywords, and fields may be named like keywords.
TEST_F(StoredDiscoveryTest, SwaggerOfAnySchema) {
  resources_.back().openapi_schema = R"json({
    "type": "object", "oneOf": [{"required": ["a"]}], "allOf": [true],
    "properties": {
      "not": {"type": "string", "nullable": true, "default": {"$ref": "kept", "not": 1}},
      "allOf": {"type": "array", "items": {"anyOf": [{"type": "integer"}]}},
      "$ref": {"$ref": "x"},
      "map": {"additionalProperties": {"not": {}, "type": "integer"}},
      "two": {"allOf": [{"type": "string", "nullable": true}, {"minLength": 1}]}}})json";
  Serve();
  ASSERT_EQ(Ask("/openapi/v2"), 200);
  const json::value document = Body();
  const json::object& schema = document.at("definitions").at("io.stored.v1.Thing").as_object();
  EXPECT_FALSE(schema.contains("oneOf"));
  const json::value want = *ParseJson(R"json({
    "not": {"type": "string", "default": {"$ref": "kept", "not": 1}},
    "allOf": {"type": "array", "items": {}},
    "$ref": {"$ref": "#/definitions/x"},
    "map": {"additionalProperties": {"type": "integer"}},
    "two": {"allOf": [{"type": "string"}, {"minLength": 1}]}})json");
  EXPECT_EQ(schema.at("properties"), want);
}

TEST_F(DiscoveryTest, SwaggerInTheFormThatKubectlAsksFor) {
  constexpr char kForm[] = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  ASSERT_EQ(Ask("/openapi/v2", {{"Accept", kForm}}), 200);
  EXPECT_EQ(writer_.Header("Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_THAT(writer_.body(), testing::HasSubstr("com.example.v1.Widget"));
  ASSERT_EQ(Ask("/openapi/v2", {{"Accept", "application/json"}}), 200);
  EXPECT_EQ(writer_.body()[0], '{') << "aggregators merge that";
  ASSERT_EQ(Ask("/openapi/v2"), 200);
  EXPECT_EQ(writer_.body()[0], '{');
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

// On /apis the aggregator accepts only this form, and recognises it by the Content-Type.
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
  // The tag of one form does not match the other.
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

// Old aggregators send the tag of another document here and treat anything but 200 as a failure.
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

// Follows `kubectl explain`: from the resource's path to a GVK, from there to the schema.
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

TEST_F(StoredDiscoveryTest, ReferencesResolveAndOperationsAreUnique) {
  const struct {
    std::string path, prefix;
  } kRows[] = {
      {"/openapi/v3/apis/example.com/v1", "#/components/schemas/"},
      {"/openapi/v3/apis/views.operators.coreos.com/v1alpha1", "#/components/schemas/"},
      {"/openapi/v3/apis/stored.io/v1", "#/components/schemas/"},
      {"/openapi/v3/api/v1", "#/components/schemas/"},
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
      for (const auto& [method, operation] : item.as_object()) {
        if (method == "parameters") continue;
        EXPECT_TRUE(ids.emplace(operation.at("operationId").as_string()).second)
            << method << " " << path;
      }
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

TEST(GroupResourcesTest, StableVersionsFirst) {
  std::vector<rest::Resource> resources;
  for (const char* version : {"foo", "v1alpha1", "v1", "v10beta3", "v2", "v3beta1", "v11alpha2",
                              "v10", "v1beta10", "v1beta2", "v0", "v01", "bar", "v1beta"}) {
    resources.emplace_back().descriptor.gvk = {"g", version, "X"};
  }
  std::vector<std::string> versions;
  const std::vector<ServedGroup> groups = GroupResources(resources);
  for (const ServedVersion& served : groups.at(0).versions) {
    versions.push_back(served.version);
  }
  EXPECT_THAT(versions,
              testing::ElementsAre("v10", "v2", "v1", "v10beta3", "v3beta1", "v1beta10", "v1beta2",
                                   "v11alpha2", "v1alpha1", "bar", "foo", "v0", "v01", "v1beta"));
}

TEST(SchemaNameTest, ReversesTheDomain) {
  EXPECT_EQ(SchemaName({"views.operators.coreos.com", "v1alpha1", "InstalledOperator"}),
            "com.coreos.operators.views.v1alpha1.InstalledOperator");
  EXPECT_EQ(SchemaName({"apps", "v1", "Deployment"}), "apps.v1.Deployment");
  EXPECT_EQ(SchemaName({"", "v1", "Event"}), "io.k8s.api.core.v1.Event");
}

}  // namespace
}  // namespace steward::discovery
