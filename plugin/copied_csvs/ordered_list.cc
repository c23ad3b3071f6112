#include "plugin/copied_csvs/ordered_list.h"

#include <utility>

#include "base/json/json_access.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "plugin/cluster/reads.h"

namespace steward::plugin {
namespace {

// ClusterServiceVersions have up to a megabyte each.
constexpr int64_t kPageSize = 25;

}  // namespace

OrderedList::OrderedList(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                         std::string label)
    : client_(client), gvr_(std::move(gvr)) {
  options_.ns = std::move(ns);
  options_.label_selector = std::move(label);
  options_.limit = kPageSize;
}

Task<bool> OrderedList::Next() {
  const std::string doing = StrCat("listing ", gvr_.GroupResource(), " in ", options_.ns);
  while (next_ == page_.items.size()) {
    if (is_last_page_) co_return false;
    absl::StatusOr<kube::ListPage> page = co_await client_.List(gvr_, options_);
    if (!page.ok()) co_return WithContext(doing, page.status());
    page_ = *std::move(page);
    next_ = 0;
    is_last_page_ = page_.continue_token.empty();
    if (!is_last_page_ && page_.continue_token == options_.continue_token) {
      co_return absl::DataLossError(StrCat(doing, ": the list does not go on"));
    }
    options_.continue_token = page_.continue_token;
  }
  const kube::RawObject& raw = page_.items[next_++];
  absl::StatusOr<boost::json::value> object = ParseObject(raw.json);
  if (!object.ok()) co_return WithContext(doing, object.status());
  object_ = *std::move(object);
  bytes_ = raw.json.size();
  if (name().empty()) co_return absl::DataLossError(StrCat(doing, ": an object without a name"));
  co_return true;
}

std::string_view OrderedList::name() const {
  const boost::json::object* metadata = ObjectAt(object(), "metadata");
  return metadata == nullptr ? std::string_view() : StringAt(*metadata, "name");
}

}  // namespace steward::plugin
