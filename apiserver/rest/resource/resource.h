// A resource that the API server serves: a name, a kind, and its verbs. Each verb is a capability:
// a null pointer is an absent verb, in routes, in discovery and in OpenAPI alike. Implementations
// of capabilities are thread-safe.
#ifndef APISERVER_REST_RESOURCE_RESOURCE_H_
#define APISERVER_REST_RESOURCE_RESOURCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "base/splice/rope.h"
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

// One object of a resource, which can write itself in each form. It belongs to an immutable
// snapshot and is valid until its cursor moves or its Reading is destroyed. `resource_version` is
// the value for metadata.resourceVersion.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view ns() const = 0;
  virtual std::string_view name() const = 0;
  // The object's own resourceVersion, which stays the same until an input of the object changes. ""
  // = the object has none, and carries the version of the answer.
  virtual std::string OwnVersion() const { return {}; }
  // Appends the whole object as compact JSON, with apiVersion and kind.
  virtual void AppendJson(std::string_view resource_version, Rope& out) const = 0;
  // Appends the JSON of the object's `metadata` alone.
  virtual void AppendMetadata(std::string_view resource_version, Rope& out) const = 0;
  // Appends the Table cells as a JSON array, one scalar for each of the resource's columns.
  virtual void AppendCells(std::string& out) const = 0;
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  // The next available object, in (namespace, name) order. Null if none is available now; then More
  // must be called. Looks at some hundred objects at most, selected or not, before it returns. The
  // previous object becomes invalid.
  virtual const Object* Next() = 0;
  // To be called when Next has returned null. True: call Next again; meanwhile the cursor has
  // fetched more, or let other work of the thread run. False: there are no more objects. Errors
  // carry a Kubernetes Status, and the response stays incomplete. Cancellable.
  virtual Task<bool> More();
};

struct ReadOptions {
  std::string resource_version;        // "", "0" or a number, already validated as digits
  std::string resource_version_match;  // "", "Exact" or "NotOlderThan", already validated against
                                       // resource_version
  // The user whose read needs the state at resource_version. If this server must ask the cluster
  // for that state, it treats all users fairly.
  std::string asker;
  // For a list of a resource with pages (see Resource::pages); else 0 and "".
  int64_t limit = 0;           // at most this many objects; 0 = no limit
  std::string continue_token;  // Reading::continue_token of the page before; not validated
};

struct Selection {
  std::string ns;  // "" = all namespaces
  kube::LabelSelector labels;
  kube::FieldSelector fields;  // only paths in Resource::field_paths
};

// One consistent answer: its objects, and its version. Objects without an own version carry the
// answer's.
struct Reading {
  std::string resource_version;
  // A message to the user about the answer, sent as a Warning header (code 299); "" = none.
  // Printable ASCII.
  std::string warning;
  std::unique_ptr<Cursor> cursor;
  // For a page that is not the last: the token of the next one, and the number of objects behind
  // this page (nullopt = unknown, as with a selector). Known before the cursor moves.
  std::string continue_token = {};
  std::optional<int64_t> remaining_item_count = std::nullopt;
};

// Implementations answer from memory and wait only until `resource_version` is reached. Errors
// carry a Kubernetes Status: 404, 410 Expired, 503 + Retry-After before the first sync, 504 for a
// too large resource version.
class Getter {
 public:
  virtual ~Getter() = default;
  // Returns a Reading with exactly one object, which the cursor's first Next returns.
  virtual Task<Reading> Get(const kube::NamespacedName& name, const ReadOptions& options) = 0;
};

class Lister {
 public:
  virtual ~Lister() = default;
  virtual Task<Reading> List(const Selection& selection, const ReadOptions& options) = 0;
};

// The content of a subresource that is no object, for example an image.
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

// The writing verbs (mutation.h), watch (watcher.h), reviews (reviewer.h), and lists below an
// object (page_getter.h).
class Creator;
class Updater;
class Patcher;
class Deleter;
class PageGetter;
class Watcher;
class Reviewer;

// A subresource with either a blob, or pages of a list, or verbs for an object of the resource's
// own kind, as `status` has.
struct Subresource {
  std::string name;
  BlobGetter* get_blob = nullptr;
  PageGetter* get_page = nullptr;
  std::string kind = {};  // of the pages; "" = the resource's own
  Getter* get_object = nullptr;
  Updater* update = nullptr;
  Patcher* patch = nullptr;

  // The verbs in the order of discovery.
  std::vector<std::string> Verbs() const;
};

struct Resource {
  Descriptor descriptor;
  std::vector<Column> columns;
  // The supported field selector paths: metadata.name and metadata.namespace at least.
  std::vector<std::string> field_paths = {"metadata.name", "metadata.namespace"};
  // The OpenAPI v3 schema of the kind (a JSON object: description, type, properties), without
  // x-kubernetes-group-version-kind. For metadata it may refer to
  // "#/components/schemas/<ObjectMeta>".
  std::string openapi_schema;

  Creator* create = nullptr;  // must be null when `review` is set
  Deleter* del = nullptr;
  Getter* get = nullptr;
  Lister* list = nullptr;
  Patcher* patch = nullptr;
  Reviewer* review = nullptr;  // the verb `create` of objects that are answered and not stored
  Updater* update = nullptr;
  Watcher* watch = nullptr;
  std::vector<Subresource> subresources;

  // The media types that PATCH accepts, also for the subresources; any other is answered with 415.
  std::vector<std::string> patch_types;
  // True if POST and PUT also accept Kubernetes' binary form (//kube/protobuf). If false, that form
  // is answered with 415.
  bool accepts_protobuf = false;
  // The limit of a POST's body, if it is larger than the limit of all writes. 0 = the limit of all
  // writes applies.
  size_t max_create_bytes = 0;
  // True when the lister supports limit and continue. Otherwise lists are answered whole, and a
  // continue token is refused.
  bool pages = false;
  // For a computed resource: returns a sentence that says which objects to change instead. It is
  // appended to the refusal of a write. `name` is empty for a write to the collection. Null:
  // nothing is appended.
  std::function<std::string(const kube::NamespacedName& name)> where_to_write;
  // Keeps the capabilities alive, if nothing else does.
  std::shared_ptr<const void> owner;

  // True when the resource accepts POST.
  bool Creates() const { return create != nullptr || review != nullptr; }
  // The verbs in the order of discovery.
  std::vector<std::string> Verbs() const;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_RESOURCE_H_
