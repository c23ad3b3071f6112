#include "controllers/rpc/copied_csv/change_page.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status/macros.h"
#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "controllers/rpc/copied_csv/change_token.h"
#include "controllers/rpc/copied_csv/messages.h"
#include "kube/meta/names.h"
#include "olm/resources.h"

namespace steward::rpc {
namespace {

using controllers::CopyChange;

// Decides whether the requester may see a change. Users who may list a copy's namespace see an
// existing copy, whose label names the original's namespace. A copy that does not exist yet is
// shown only to users who may also list the original's namespace.
class SlotVisibility {
 public:
  SlotVisibility(const MayList& may_list, size_t max_reviews) : may_(may_list, max_reviews) {}

  bool CanTell(const CopyChange& change) const {
    return may_.CanTell(olm::kCsvs, change.ns->name) && may_.CanTell(olm::kCsvs, *change.source);
  }
  Task<bool> Shows(const CopyChange& change) {
    CO_ASSIGN_OR_RETURN(const bool here, co_await may_.Shows(olm::kCsvs, change.ns->name));
    if (!here || change.HasCopy()) co_return here;
    co_return co_await ShowsOriginal(change);
  }
  Task<bool> ShowsOriginal(const CopyChange& change) {
    co_return co_await may_.Shows(olm::kCsvs, *change.source);
  }

 private:
  PageVisibility may_;
};

// Returns true for changes after the slot.
bool IsBefore(const kube::NamespacedName& slot, const CopyChange& change) {
  return std::tie(slot.ns, slot.name) < std::tie(change.ns->name, *change.name);
}

}  // namespace

Task<ShownChanges> ChangePage(controllers::CopiesDifferencePtr difference,
                              copiedcsv::v1::PreviewRequest request, const MayList& may_list,
                              size_t max_reviews) {
  CO_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size()));
  const PageBinding binding = PageBinding::Of(request);
  const std::vector<CopyChange>& changes = difference->changes;
  auto next = changes.begin();
  if (!request.page_token().empty()) {
    CO_ASSIGN_OR_RETURN(const ChangeToken from, ChangeToken::Parse(request.page_token(), binding));
    next = std::upper_bound(changes.begin(), changes.end(), from.after, IsBefore);
  }
  ShownChanges shown;
  copiedcsv::v1::PreviewResponse& page = shown.page;
  SlotVisibility visibility(may_list, max_reviews);
  size_t bytes = 0;
  for (; next != changes.end() && static_cast<size_t>(page.changes_size()) < size; ++next) {
    if (bytes > kMaxPageBytes || !visibility.CanTell(*next)) break;
    CO_ASSIGN_OR_RETURN(const bool shows, co_await visibility.Shows(*next));
    if (!shows) {
      page.set_hidden(page.hidden() + 1);
      continue;
    }
    shown.changes.push_back(&*next);
    copiedcsv::v1::Change& change = *page.add_changes();
    WriteChange(*next, request.choice(), change);
    if (next->Deletes() && !next->source->empty()) {
      CO_ASSIGN_OR_RETURN(const bool original, co_await visibility.ShowsOriginal(*next));
      change.set_requester_loses_sight(!original);
    }
    bytes += change.ByteSizeLong();
  }
  page.set_remaining(changes.end() - next);
  if (next != changes.end() && next != changes.begin()) {
    const CopyChange& last = *std::prev(next);
    page.set_next_page_token(ChangeToken{{last.ns->name, *last.name}}.ToString(binding));
  }
  co_return shown;
}

}  // namespace steward::rpc
