#include "kube/testing/frozen_reads.h"

#include <boost/json/parse.hpp>
#include <utility>

#include "base/status/macros.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"
#include "kube/testing/list_filter.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

NamespacedName NameOfRaw(const RawObject& object) {
  return NameOf(json::parse(json::string_view(object.json.data(), object.json.size())));
}

}  // namespace

Task<std::shared_ptr<const FrozenReads>> FrozenReads::Take(Client& client,
                                                           GroupVersionResource gvr) {
  auto frozen = std::make_shared<FrozenReads>();
  frozen->gvr_ = gvr;
  ListOptions options;
  do {
    CO_ASSIGN_OR_RETURN(const ListPage page, co_await client.List(gvr, options));
    frozen->resource_version_ = page.resource_version;
    for (const RawObject& object : page.items) frozen->objects_[NameOfRaw(object)] = object;
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty());
  co_return std::move(frozen);
}

absl::StatusOr<RawObject> FrozenReads::Get(const NamespacedName& name) const {
  const auto it = objects_.find(name);
  if (it == objects_.end()) return ToStatus(NotFound(gvr_, name.name));
  return it->second;
}

absl::StatusOr<ListPage> FrozenReads::List(const ListOptions& options) const {
  ASSIGN_OR_RETURN(const ListFilter filter,
                   ListFilter::Of(options.label_selector, options.field_selector));
  ListPage page;
  page.resource_version = resource_version_;
  for (const auto& [name, object] : objects_) {
    if (!options.ns.empty() && name.ns != options.ns) continue;
    if (filter.Takes(object)) page.items.push_back(object);
  }
  return page;
}

}  // namespace steward::kube
