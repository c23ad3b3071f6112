#include "plugin/names.h"

#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "base/status/macros.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

using Names = Completion::Names;

constexpr int64_t kMost = 500;

std::optional<kube::GroupVersionResource> KindOf(Names names) {
  switch (names) {
    case Names::kCsvs:
      return kCleanupStatuses;  // there is one for each original, none for copies
    case Names::kInstallPlans:
      return kInstallPlans;
    case Names::kSubscriptions:
      return kSubscriptions;
    case Names::kNamespaces:
      return kNamespaces;
    default:
      return std::nullopt;
  }
}

}  // namespace

Task<std::vector<std::string>> AskNames(kube::Client& client, Names names, std::string ns) {
  std::vector<std::string> found;
  const std::optional<kube::GroupVersionResource> kind = KindOf(names);
  if (!kind) co_return found;
  kube::ListOptions options;
  if (names != Names::kNamespaces) options.ns = std::move(ns);
  options.limit = kMost;
  options.metadata_only = true;
  CO_ASSIGN_OR_RETURN(const kube::ListPage page, co_await client.List(*kind, options));
  for (const kube::RawObject& raw : page.items) {
    CO_ASSIGN_OR_RETURN(const boost::json::value object, ParseObject(raw.json));
    found.push_back(kube::NameOf(object).name);
  }
  co_return found;
}

}  // namespace steward::plugin
