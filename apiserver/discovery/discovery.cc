#include "apiserver/discovery/discovery.h"

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
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

namespace json = boost::json;

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

// The documents under /openapi. They are written when a client first asks below it, which takes
// almost as many instructions as everything until this process listens. Until then this holds what
// they are written from. Thread-safe.
class OpenApiDocuments {
 public:
  // Fails when a resource's schema is not a JSON object.
  static absl::StatusOr<std::shared_ptr<OpenApiDocuments>> Create(
      const std::vector<ServedGroup>& groups, const std::string& version) {
    auto created = std::make_shared<OpenApiDocuments>(version);
    for (const ServedGroup& group : groups) {
      for (const ServedVersion& served : group.versions) {
        ASSIGN_OR_RETURN(json::object document, OpenApiV3(served, version));
        created->keys_.push_back(ApiPath(group.name, served.version));
        created->parts_.push_back(std::move(document));
      }
    }
    return created;
  }

  explicit OpenApiDocuments(std::string version) : version_(std::move(version)) {}

  // Null: there is none at this path.
  std::shared_ptr<const Document> Find(std::string_view path) {
    if (!path.starts_with("/openapi/")) return nullptr;
    std::call_once(written_, [this] { Write(); });
    const auto found = documents_.find(path);
    return found == documents_.end() ? nullptr : found->second;
  }

 private:
  void Write() {
    json::object root_paths;
    for (size_t i = 0; i < keys_.size(); ++i) {
      Document document;
      document.addressed_by_hash = true;
      document.representations = {OpenApiRepresentation(Serialize(parts_[i]))};
      const std::string path = "/openapi/v3/" + keys_[i];
      std::string_view hash = document.representations[0].etag;
      hash = hash.substr(1, hash.size() - 2);
      root_paths[keys_[i]] = json::object{{"serverRelativeURL", StrCat(path, "?hash=", hash)}};
      Add(documents_, path, std::move(document));
    }
    Document root;
    root.negotiated = false;
    root.representations = {
        OpenApiRepresentation(Serialize(json::object{{"paths", std::move(root_paths)}}))};
    Add(documents_, "/openapi/v3", std::move(root));
    Document v2;
    v2.representations = {OpenApiRepresentation(Serialize(OpenApiV2(parts_, version_)))};
    v2.representations.push_back(BinaryRepresentation(OpenApiV2Binary(parts_, version_)));
    Add(documents_, "/openapi/v2", std::move(v2));
    parts_ = {};
  }

  const std::string version_;
  std::vector<std::string> keys_;  // "apis/<group>/<version>"
  std::once_flag written_;
  std::vector<json::object> parts_;  // the v3 documents of keys_; none once all are written
  Documents documents_;
};

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
  AddVersion(version, documents);
  ASSIGN_OR_RETURN(std::shared_ptr<OpenApiDocuments> openapi,
                   OpenApiDocuments::Create(groups, version.git_version));
  return http::Handler([documents = std::make_shared<const Documents>(std::move(documents)),
                        openapi = std::move(openapi), &clock, next = std::move(next)](
                           http::Request& request, http::ResponseWriter& writer) {
    const auto found = documents->find(request.path);
    std::shared_ptr<const Document> document =
        found == documents->end() ? openapi->Find(request.path) : found->second;
    if (document == nullptr) return next(request, writer);
    return ServeDocument(std::move(document), request, writer, clock);
  });
}

}  // namespace steward::discovery
