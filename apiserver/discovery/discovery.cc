#include "apiserver/discovery/discovery.h"

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/discovery/document.h"
#include "apiserver/discovery/group_documents.h"
#include "apiserver/discovery/openapi_v2.h"
#include "apiserver/discovery/openapi_v2_binary.h"
#include "apiserver/discovery/openapi_v3.h"
#include "base/async/task.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

using Documents = std::map<std::string, std::shared_ptr<const Document>, std::less<>>;

Representation AggregatedRepresentation(const std::vector<ServedGroup>& groups,
                                        std::string_view version) {
  Representation representation;
  representation.media_type = "application/json";
  representation.as = "APIGroupDiscoveryList";
  representation.group = "apidiscovery.k8s.io";
  representation.version = version;
  // Clients recognise the kind of document by this exact spelling.
  representation.content_type =
      StrCat("application/json;g=apidiscovery.k8s.io;v=", version, ";as=APIGroupDiscoveryList");
  representation.cache_control = "public";
  std::string json = ApiGroupDiscoveryList(groups, version) + "\n";
  representation.etag = ETagOf(json);
  representation.bytes = std::make_shared<const std::string>(std::move(json));
  return representation;
}

Representation BinaryRepresentation(std::string bytes) {
  Representation representation;
  representation.media_type = kOpenApiV2Binary;
  representation.content_type = kOpenApiV2BinarySent;
  representation.etag = ETagOf(bytes);
  representation.bytes = std::make_shared<const std::string>(std::move(bytes));
  return representation;
}

void Add(Documents& documents, std::string path, Document document) {
  documents.emplace(std::move(path), std::make_shared<const Document>(std::move(document)));
}

void AddWithSlash(Documents& documents, const std::string& path, Document document) {
  Add(documents, path + "/", document);
  Add(documents, path, std::move(document));
}

// A document with `json`, and with all of `groups` for clients that ask for the aggregated form.
absl::StatusOr<Document> DocumentOfGroups(std::string_view json,
                                          const std::vector<ServedGroup>& groups) {
  ASSIGN_OR_RETURN(Document document, DiscoveryDocument(json));
  for (std::string_view version : {"v2", "v2beta1"}) {
    document.representations.push_back(AggregatedRepresentation(groups, version));
  }
  return document;
}

absl::Status AddResourceLists(const ServedGroup& group, Documents& documents) {
  for (const ServedVersion& version : group.versions) {
    ASSIGN_OR_RETURN(Document resources, DiscoveryDocument(ApiResourceList(group, version)));
    AddWithSlash(documents, "/" + ApiPath(group.name, version.version), std::move(resources));
  }
  return absl::OkStatus();
}

absl::Status AddGroups(const std::vector<ServedGroup>& groups, Documents& documents) {
  std::vector<ServedGroup> named;
  for (const ServedGroup& group : groups) {
    RETURN_IF_ERROR(AddResourceLists(group, documents));
    if (group.name.empty()) {
      ASSIGN_OR_RETURN(Document core, DocumentOfGroups(ApiVersions(group), {group}));
      AddWithSlash(documents, "/api", std::move(core));
      continue;
    }
    ASSIGN_OR_RETURN(Document document, DiscoveryDocument(ApiGroup(group)));
    AddWithSlash(documents, "/apis/" + group.name, std::move(document));
    named.push_back(group);
  }
  ASSIGN_OR_RETURN(Document list, DocumentOfGroups(ApiGroupList(named), named));
  AddWithSlash(documents, "/apis", std::move(list));
  return absl::OkStatus();
}

absl::Status AddOpenApi(const std::vector<ServedGroup>& groups, const std::string& version,
                        Documents& documents) {
  boost::json::object root_paths;
  std::vector<boost::json::object> v3_documents;
  for (const ServedGroup& group : groups) {
    for (const ServedVersion& served : group.versions) {
      ASSIGN_OR_RETURN(boost::json::object v3, OpenApiV3(served, version));
      Document document;
      document.addressed_by_hash = true;
      document.representations = {OpenApiRepresentation(Serialize(v3))};
      const std::string key = ApiPath(group.name, served.version);
      const std::string path = "/openapi/v3/" + key;
      std::string_view hash = document.representations[0].etag;
      hash = hash.substr(1, hash.size() - 2);
      root_paths[key] = boost::json::object{{"serverRelativeURL", StrCat(path, "?hash=", hash)}};
      Add(documents, path, std::move(document));
      v3_documents.push_back(std::move(v3));
    }
  }
  Document root;
  root.negotiated = false;
  root.representations = {
      OpenApiRepresentation(Serialize(boost::json::object{{"paths", std::move(root_paths)}}))};
  Add(documents, "/openapi/v3", std::move(root));
  Document v2;
  v2.representations = {OpenApiRepresentation(Serialize(OpenApiV2(v3_documents, version)))};
  v2.representations.push_back(BinaryRepresentation(OpenApiV2Binary(v3_documents, version)));
  Add(documents, "/openapi/v2", std::move(v2));
  return absl::OkStatus();
}

void AddVersion(const VersionInfo& version, Documents& documents) {
  Representation representation;
  representation.media_type = representation.content_type = "application/json";
  // Indented for all clients, as in Kubernetes.
  representation.bytes = std::make_shared<const std::string>(IndentJson(VersionJson(version)));
  Document document;
  document.negotiated = false;
  document.representations = {std::move(representation)};
  AddWithSlash(documents, "/version", std::move(document));
}

VoidTask ServeDocument(std::shared_ptr<const Document> document, const http::Request& request,
                       http::ResponseWriter& writer, const Clock& clock) {
  // An error means that the client is gone.
  (void)co_await Serve(*document, request, writer, clock);
}

}  // namespace

absl::StatusOr<http::Handler> WithDiscovery(const std::vector<rest::Resource>& resources,
                                            const VersionInfo& version, const Clock& clock,
                                            http::Handler next) {
  const std::vector<ServedGroup> groups = GroupResources(resources);
  Documents documents;
  RETURN_IF_ERROR(AddGroups(groups, documents));
  RETURN_IF_ERROR(AddOpenApi(groups, version.git_version, documents));
  AddVersion(version, documents);
  return http::Handler(
      [documents = std::make_shared<const Documents>(std::move(documents)), &clock,
       next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
        const auto document = documents->find(request.path);
        if (document == documents->end()) return next(request, writer);
        return ServeDocument(document->second, request, writer, clock);
      });
}

}  // namespace steward::discovery
