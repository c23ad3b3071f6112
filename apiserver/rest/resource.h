// What a virtual resource offers: a name, a kind, and the verbs it has. Verb = capability: a null
// pointer is an absent verb, in routes, in discovery and in OpenAPI alike.
#ifndef APISERVER_REST_RESOURCE_H_
#define APISERVER_REST_RESOURCE_H_

#include <cstdint>
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

// One object of a resource, able to write itself in each form. Borrowed from an immutable snapshot:
// valid until its cursor moves or its Reading is destroyed. `resource_version` is what
// metadata.resourceVersion shall say.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view ns() const = 0;
  virtual std::string_view name() const = 0;
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
  // The next object at hand, in (namespace, name) order. Null: none now, at the latest after some
  // hundred objects looked at, selected or not; More tells what that means. The last object becomes
  // invalid.
  virtual const Object* Next() = 0;
  // To be called when Next gave null. True: ask Next again; until then the cursor has fetched more,
  // or let other work of the thread run. False: that was the end. Errors carry a Kubernetes Status,
  // and the answer breaks off. Cancellable.
  virtual Task<bool> More();
};

struct ReadOptions {
  std::string resource_version;        // "", "0" or a number, already validated as digits
  std::string resource_version_match;  // "", "Exact" or "NotOlderThan", already validated against
                                       // resource_version
  // Of a list whose resource pages (see Resource::pages); else 0 and "".
  int64_t limit = 0;           // at most so many objects; 0 = no limit
  std::string continue_token;  // Reading::continue_token of the page before; not validated
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
  // Of a page that is not the last: what the next one is asked with, and how many objects follow
  // this page (nullopt = unknown, as under a selector). Known before the cursor moves.
  std::string continue_token = {};
  std::optional<int64_t> remaining_item_count = std::nullopt;
};

// Implementations are thread-safe and answer from memory; they wait only for `resource_version` to
// be reached. Errors carry a Kubernetes Status: 404, 410 Expired, 503 + Retry-After before the
// first sync, 504 for a too large resource version.
class Getter {
 public:
  virtual ~Getter() = default;
  // A Reading with exactly one object, which its cursor has at the first step.
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

// The writing verbs (mutation.h), watch (watcher.h), what a requester may ask (reviewer.h), and
// lists below an object (page_getter.h).
class Creator;
class Updater;
class Patcher;
class Deleter;
class PageGetter;
class Watcher;
class Reviewer;

// Has either a blob, or pages of a list, or the verbs of an object of the resource's own kind, as
// `status` does.
struct Subresource {
  std::string name;
  BlobGetter* get_blob = nullptr;
  PageGetter* get_page = nullptr;
  std::string kind = {};  // of the pages; "" = the resource's own
  Getter* get_object = nullptr;
  Updater* update = nullptr;
  Patcher* patch = nullptr;

  // In the order that discovery lists them.
  std::vector<std::string> Verbs() const;
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

  Creator* create = nullptr;  // not beside `review`
  Deleter* del = nullptr;
  Getter* get = nullptr;
  Lister* list = nullptr;
  Patcher* patch = nullptr;
  Reviewer* review = nullptr;  // the verb `create` of what is answered and not kept
  Updater* update = nullptr;
  Watcher* watch = nullptr;
  std::vector<Subresource> subresources;

  // Media types that PATCH takes, here and in the subresources; any other is answered with 415.
  std::vector<std::string> patch_types;
  // Whether POST and PUT take Kubernetes' binary form (//kube/protobuf) too; else that is answered
  // with 415.
  bool accepts_protobuf = false;
  // The lister understands limit and continue. Otherwise lists are answered whole, and a continue
  // token is refused.
  bool pages = false;
  // Keeps the capabilities alive, if nobody else does.
  std::shared_ptr<const void> owner;

  // Whether it can be POSTed.
  bool Creates() const { return create != nullptr || review != nullptr; }
  // In the order that discovery lists them.
  std::vector<std::string> Verbs() const;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_H_
