#include "plugin/copied_csvs/ordered_list.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "base/json/json_access.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "plugin/cluster/reads.h"

namespace steward::plugin {
namespace {

// ClusterServiceVersions have up to a megabyte each.
constexpr int64_t kPageSize = 25;

kube::ListOptions OptionsOf(std::string ns, std::string label) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(label);
  options.limit = kPageSize;
  return options;
}

}  // namespace

OrderedList::OrderedList(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                         std::string label)
    : doing_(StrCat("listing ", gvr.GroupResource(), " in ", ns)),
      pages_(client, std::move(gvr), OptionsOf(std::move(ns), std::move(label))) {}

Task<bool> OrderedList::Next() {
  while (next_ == page_.items.size()) {
    page_ = {};
    next_ = 0;
    absl::StatusOr<std::optional<kube::ListPage>> page = co_await pages_.Next();
    if (!page.ok()) co_return WithContext(doing_, page.status());
    if (!*page) co_return false;
    page_ = **std::move(page);
  }
  const kube::RawObject& raw = page_.items[next_++];
  absl::StatusOr<boost::json::value> object = ParseObject(raw.json);
  if (!object.ok()) co_return WithContext(doing_, object.status());
  object_ = *std::move(object);
  bytes_ = raw.json.size();
  if (name().empty()) co_return absl::DataLossError(StrCat(doing_, ": an object without a name"));
  co_return true;
}

std::string_view OrderedList::name() const {
  const boost::json::object* metadata = ObjectAt(object(), "metadata");
  return metadata == nullptr ? std::string_view() : StringAt(*metadata, "name");
}

}  // namespace steward::plugin
