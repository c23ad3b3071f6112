#include "storage/embedded/embedded_client.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/impersonation.h"
#include "kube/client/refusing_client.h"
#include "kube/meta/status.h"
#include "storage/embedded/embedded_watch.h"
#include "storage/embedded/operations/list_operation.h"
#include "storage/embedded/operations/object_filter.h"
#include "storage/embedded/store/object_body.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

absl::StatusOr<kube::ResourceType> FindType(const Store& store,
                                            const kube::GroupVersionResource& gvr) {
  const CatalogPtr catalog = store.catalog();
  const kube::ResourceType* type = catalog->Find(gvr);
  if (type == nullptr) return kube::ToStatus(kube::NotFoundPath());
  return *type;
}

absl::Status CheckScope(const kube::ResourceType& type, const std::string& ns) {
  if (type.namespaced || ns.empty()) return absl::OkStatus();
  return kube::ToStatus(kube::NotFoundPath());
}

std::vector<std::string> ServedVerbs() {
  return {"create", "delete", "get", "list", "patch", "update", "watch"};
}

absl::Status MustBeAnObject(std::string_view what) {
  return kube::ToStatus(kube::BadRequest(StrCat(what, " must be an object")));
}

}  // namespace

EmbeddedClient::EmbeddedClient(Store& store, Clock& clock, Random& random,
                               EmbeddedClientOptions options)
    : store_(store), context_(FreshContexts(clock, random)), options_(options) {}

Task<kube::RawObject> EmbeddedClient::Get(const kube::GroupVersionResource& gvr,
                                          const kube::NamespacedName& name) {
  CO_ASSIGN_OR_RETURN(const kube::ResourceType type, FindType(store_, gvr));
  CO_RETURN_IF_ERROR(CheckScope(type, name.ns));
  std::function<absl::StatusOr<kube::RawObject>(VersionTable&)> read =
      [&](VersionTable& table) -> absl::StatusOr<kube::RawObject> {
    ASSIGN_OR_RETURN(const std::optional<Version> version,
                     table.Get(gvr.GroupResource(), KeyOf(name.ns, name.name)));
    if (!version.has_value()) return kube::ToStatus(kube::NotFound(gvr, name.name));
    return RenderRaw(type.gvk, version->revision, version->body);
  };
  co_return co_await store_.Read(std::move(read));
}

Task<kube::ListPage> EmbeddedClient::List(const kube::GroupVersionResource& gvr,
                                          const kube::ListOptions& options) {
  CO_ASSIGN_OR_RETURN(const kube::ResourceType type, FindType(store_, gvr));
  CO_RETURN_IF_ERROR(CheckScope(type, options.ns));
  CO_ASSIGN_OR_RETURN(
      const ObjectFilter filter,
      ObjectFilter::Create(type, options.ns, options.label_selector, options.field_selector));
  std::function<absl::StatusOr<kube::ListPage>(VersionTable&)> read = [&](VersionTable& table) {
    // The newest revision is read here, not before: a list that waited long must not read a
    // revision that was dropped meanwhile.
    return ListObjects(table, type, filter, options, store_.revision());
  };
  co_return co_await store_.Read(std::move(read));
}

Task<std::unique_ptr<kube::Watch>> EmbeddedClient::StartWatch(const kube::GroupVersionResource& gvr,
                                                              const kube::WatchOptions& options) {
  CO_ASSIGN_OR_RETURN(kube::ResourceType type, FindType(store_, gvr));
  CO_RETURN_IF_ERROR(CheckScope(type, options.ns));
  CO_ASSIGN_OR_RETURN(
      ObjectFilter filter,
      ObjectFilter::Create(type, options.ns, options.label_selector, options.field_selector));
  const int64_t newest = store_.revision();
  CO_ASSIGN_OR_RETURN(const std::optional<int64_t> asked,
                      ParseRevision(options.resource_version, newest));
  WatchStart start;
  start.initial = !asked.has_value() || options.send_initial_events;
  start.initial_bookmark = options.send_initial_events;
  start.revision = start.initial ? newest : *asked;
  start.timeout = options.timeout;
  start.bookmark_period = options_.bookmark_period;
  // Refuse a too old revision now. Else the watch would find out only at the next change.
  std::function<absl::StatusOr<int64_t>(VersionTable&)> read = [](VersionTable& table) {
    return table.CompactedRevision();
  };
  CO_ASSIGN_OR_RETURN(const int64_t compacted, co_await store_.Read(std::move(read)));
  if (start.revision < compacted) {
    co_return kube::ToStatus(
        kube::Expired(StrCat("too old resource version: ", start.revision, " (", compacted, ")")));
  }
  co_return std::make_unique<EmbeddedWatch>(store_, std::move(type), std::move(filter), start);
}

Task<json::value> EmbeddedClient::Write(WriteVerb verb, const kube::SendCheck& may_send) {
  absl::Status permission;
  absl::StatusOr<json::value> result;
  // `result` is in this frame: a cancelled Write ends before the frame does.
  std::function<absl::Status(Transaction&)> write = [&](Transaction& transaction) {
    permission = kube::MaySend(may_send);
    if (!permission.ok()) return permission;
    result = verb(transaction);
    return result.status();
  };
  const absl::Status written = co_await store_.Write(std::move(write));
  CO_RETURN_IF_ERROR(permission);
  CO_RETURN_IF_ERROR(written);
  co_return std::move(result);
}

Task<json::value> EmbeddedClient::Create(const kube::GroupVersionResource& gvr,
                                         const std::string& ns, const json::value& object,
                                         const kube::WriteOptions& options) {
  if (!object.is_object()) co_return MustBeAnObject("the body");
  CO_ASSIGN_OR_RETURN(const kube::ResourceType type, FindType(store_, gvr));
  CO_RETURN_IF_ERROR(CheckScope(type, ns));
  if (type.namespaced && ns.empty()) {
    co_return kube::ToStatus(kube::BadRequest("an empty namespace may not be set during creation"));
  }
  WriteVerb verb = [&](Transaction& transaction) {
    return CreateObject(transaction, gvr, ns, object.get_object(), options, context_);
  };
  co_return co_await Write(std::move(verb), options.may_send);
}

Task<json::value> EmbeddedClient::Update(const kube::GroupVersionResource& gvr,
                                         const json::value& object,
                                         const kube::WriteOptions& options) {
  if (!object.is_object()) co_return MustBeAnObject("the body");
  const json::object* metadata = ObjectAt(object.get_object(), "metadata");
  if (metadata == nullptr) co_return MustBeAnObject("metadata");
  const kube::NamespacedName name{std::string(StringAt(*metadata, "namespace")),
                                  std::string(StringAt(*metadata, "name"))};
  WriteVerb verb = [&](Transaction& transaction) {
    return UpdateObject(transaction, gvr, name, object.get_object(), options, context_);
  };
  co_return co_await Write(std::move(verb), options.may_send);
}

Task<json::value> EmbeddedClient::Patch(const kube::GroupVersionResource& gvr,
                                        const kube::NamespacedName& name, kube::PatchType type,
                                        const json::value& patch,
                                        const kube::WriteOptions& options) {
  WriteVerb verb = [&](Transaction& transaction) {
    return PatchObject(transaction, gvr, name, type, patch, options, context_);
  };
  co_return co_await Write(std::move(verb), options.may_send);
}

Task<json::value> EmbeddedClient::Delete(const kube::GroupVersionResource& gvr,
                                         const kube::NamespacedName& name,
                                         const kube::DeleteOptions& options) {
  WriteVerb verb = [&](Transaction& transaction) {
    return DeleteObject(transaction, gvr, name, options, context_);
  };
  co_return co_await Write(std::move(verb), options.may_send);
}

Task<std::vector<kube::ApiResource>> EmbeddedClient::Discover(const kube::GroupVersion& gv) {
  const CatalogPtr catalog = store_.catalog();
  std::vector<kube::ApiResource> resources;
  for (const kube::ResourceType& type : catalog->types()) {
    if (type.gvk.group != gv.group || type.gvk.version != gv.version) continue;
    resources.push_back({type.gvk.kind, type.plural, type.namespaced, ServedVerbs()});
  }
  if (resources.empty()) co_return kube::ToStatus(kube::NotFoundPath());
  co_return resources;
}

Task<std::vector<kube::GroupVersion>> EmbeddedClient::DiscoverGroups() {
  const CatalogPtr catalog = store_.catalog();
  std::vector<kube::GroupVersion> all;
  for (const kube::ResourceType& type : catalog->types()) {
    const kube::GroupVersion gv = type.gvk.group_version();
    if (std::find(all.begin(), all.end(), gv) == all.end()) all.push_back(gv);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.group < b.group; });
  co_return all;
}

Task<std::string> EmbeddedClient::ServerVersion() {
  if (options_.server_version.empty()) co_return co_await kube::Client::ServerVersion();
  co_return options_.server_version;
}

std::unique_ptr<kube::Client> EmbeddedClient::As(const kube::UserInfo& user) {
  absl::Status refused = kube::CheckActingUser(user);
  if (!refused.ok()) return std::make_unique<kube::RefusingClient>(std::move(refused));
  return std::make_unique<EmbeddedClient>(*this);
}

}  // namespace steward::storage
