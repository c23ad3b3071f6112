// What a virtual resource offers: a name, a kind, and the verbs it has. Verb = capability: a null
// pointer is an absent verb, in routes, in discovery and in OpenAPI alike.
#ifndef APISERVER_REST_RESOURCE_H_
#define APISERVER_REST_RESOURCE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"

namespace steward::rest {

struct Descriptor {
  kube::GroupVersionKind gvk;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  kube::GroupVersionResource gvr() const { return {gvk.group, gvk.version, plural}; }
};

// A column of the Table form; priority > 0 = shown by `-o wide` only.
struct Column {
  std::string name;
  std::string type;    // string, integer, ...
  std::string format;  // "name" for the first
  std::string description;
  int priority = 0;
};

// One object of a resource, able to write itself in each form. Borrowed from an immutable snapshot:
// valid until its cursor moves or its Reading is destroyed. `resource_version` is what
// metadata.resourceVersion shall say.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view ns() const = 0;
  virtual std::string_view name() const = 0;
  // Appends the whole object as compact JSON, with apiVersion and kind.
  virtual void AppendJson(std::string_view resource_version, std::string& out) const = 0;
  // Appends the JSON of the object's `metadata` alone.
  virtual void AppendMetadata(std::string_view resource_version, std::string& out) const = 0;
  // Appends the Table cells as a JSON array, one scalar for each of the resource's columns.
  virtual void AppendCells(std::string& out) const = 0;
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  // The next object in (namespace, name) order, or null at the end. The last one becomes invalid.
  virtual const Object* Next() = 0;
};

struct ReadOptions {
  std::string resource_version;        // "", "0" or a number, already validated as digits
  std::string resource_version_match;  // "", "Exact" or "NotOlderThan", already validated against
                                       // resource_version
};

struct Selection {
  std::string ns;  // "" = all namespaces
  kube::LabelSelector labels;
  kube::FieldSelector fields;  // only paths in Resource::field_paths
};

// One consistent answer: every object in it, and the number they all carry.
struct Reading {
  std::string resource_version;
  // What the user should know about the answer, sent as a Warning header (code 299); "" = nothing.
  // Printable ASCII.
  std::string warning;
  std::unique_ptr<Cursor> cursor;
};

// Implementations are thread-safe and answer from memory; they wait only for `resource_version` to
// be reached. Errors carry a Kubernetes Status: 404, 410 Expired, 503 + Retry-After before the
// first sync, 504 for a too large resource version.
class Getter {
 public:
  virtual ~Getter() = default;
  // A Reading with exactly one object.
  virtual Task<Reading> Get(const kube::NamespacedName& name, const ReadOptions& options) = 0;
};

class Lister {
 public:
  virtual ~Lister() = default;
  virtual Task<Reading> List(const Selection& selection, const ReadOptions& options) = 0;
};

// GET of a subresource that is not an object: an image, say.
struct Blob {
  std::string content_type;
  std::string etag;  // quoted, or ""
  std::string bytes;
};
class BlobGetter {
 public:
  virtual ~BlobGetter() = default;
  virtual Task<Blob> GetBlob(const kube::NamespacedName& name) = 0;
};

struct Subresource {
  std::string name;
  BlobGetter* get = nullptr;
};

struct Resource {
  Descriptor descriptor;
  std::vector<Column> columns;
  // Supported field selector paths: metadata.name and metadata.namespace at least.
  std::vector<std::string> field_paths = {"metadata.name", "metadata.namespace"};
  // OpenAPI v3 schema of the kind (a JSON object: description, type, properties), without the
  // kind's GVK extension.
  // "#/components/schemas/<ObjectMeta>" may be referred to for metadata.
  std::string openapi_schema;

  Getter* get = nullptr;
  Lister* list = nullptr;
  std::vector<Subresource> subresources;

  // In the order that discovery lists them.
  std::vector<std::string> Verbs() const;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_H_
