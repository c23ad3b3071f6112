#include "apiserver/stored/stored_resources.h"

#include <memory>
#include <string>
#include <utility>

#include "apiserver/stored/columns.h"
#include "apiserver/stored/reader.h"
#include "apiserver/stored/schema.h"
#include "apiserver/stored/writer.h"

namespace steward::stored {
namespace {

// The capabilities of one resource.
struct Adapters {
  Adapters(kube::Client& client, const kube::ResourceType& type, const Clock& clock)
      : columns(type.columns),
        reader(client, type, columns, clock),
        writer(client, type, columns, clock) {}

  const Columns columns;
  Reader reader;
  Writer writer;
};

// Field selectors that some of Kubernetes' own kinds have, besides name and namespace.
std::vector<std::string> MoreFieldPaths(const kube::GroupVersionKind& gvk) {
  if (!gvk.group.empty()) return {};
  if (gvk.kind == "Event") {
    return {"involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type"};
  }
  if (gvk.kind == "Secret") return {"type"};
  if (gvk.kind == "Namespace") return {"status.phase"};
  return {};
}

// True for kinds that typed clients send as protobuf: all of Kubernetes' own kinds except
// definitions have a message.
bool HasProtobuf(const kube::ResourceType& type) {
  return !type.custom && type.gvk.group != "apiextensions.k8s.io" &&
         type.gvk.group != "operators.coreos.com";
}

rest::Resource StoredResource(kube::Client& client, const kube::ResourceType& type,
                              const Clock& clock) {
  auto adapters = std::make_shared<Adapters>(client, type, clock);
  rest::Resource resource;
  resource.descriptor = {type.gvk,         type.plural,     type.singular,
                         type.short_names, type.categories, type.namespaced};
  resource.columns = adapters->columns.definitions();
  for (std::string& path : MoreFieldPaths(type.gvk)) {
    resource.field_paths.push_back(std::move(path));
  }
  resource.openapi_schema = OpenApiSchema(type);
  resource.create = &adapters->writer;
  resource.del = &adapters->writer;
  resource.get = &adapters->reader;
  resource.list = &adapters->reader;
  resource.patch = &adapters->writer;
  resource.update = &adapters->writer;
  resource.watch = &adapters->reader;
  if (type.status_subresource) {
    rest::Subresource status;
    status.name = "status";
    status.get_object = &adapters->reader;
    status.update = &adapters->writer;
    status.patch = &adapters->writer;
    resource.subresources.push_back(std::move(status));
  }
  resource.patch_types = {"application/merge-patch+json"};
  if (!type.custom) resource.patch_types.emplace_back("application/strategic-merge-patch+json");
  resource.pages = true;
  resource.accepts_protobuf = HasProtobuf(type);
  resource.owner = std::move(adapters);
  return resource;
}

}  // namespace

std::vector<rest::Resource> StoredResources(kube::Client& client,
                                            const std::vector<kube::ResourceType>& types,
                                            const Clock& clock) {
  std::vector<rest::Resource> resources;
  for (const kube::ResourceType& type : types) {
    resources.push_back(StoredResource(client, type, clock));
  }
  return resources;
}

}  // namespace steward::stored
