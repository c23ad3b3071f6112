#include "controllers/rpc/cleanup/pending_pages.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "base/status/macros.h"
#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "kube/meta/resources.h"

namespace steward::rpc {
namespace {

constexpr char kDefinitionKind[] = "CustomResourceDefinition";

}  // namespace

PendingPages::PendingPages(Clock& clock, Lister lister, PendingPagesOptions options)
    : clock_(clock),
      lister_(std::move(lister)),
      options_(options),
      // IDs start at the present time, so that a token of another or earlier process names no
      // listing here.
      next_id_(static_cast<uint64_t>(absl::ToUnixMicros(clock.Now()))),
      listing_(options.max_listings, "operands are being listed") {}

std::vector<PendingPages::Item> PendingPages::Sorted(controllers::OperandListing listing) {
  std::vector<Item> items;
  items.reserve(listing.pending());
  for (controllers::OperandsOfCrd& crd : listing.crds) {
    for (controllers::Operand& operand : crd.pending) {
      PendingPlace place{crd.gvr.GroupResource(), operand.name.ns, operand.name.name};
      items.push_back({std::move(place), crd.gvr, crd.plan.kind, std::move(operand)});
    }
  }
  for (const std::string& crd : listing.terminating_crds) {
    controllers::Operand operand;
    operand.name.name = crd;
    PendingPlace place{kube::kCrds.GroupResource(), "", crd};
    items.push_back({std::move(place), kube::kCrds, kDefinitionKind, std::move(operand)});
  }
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.place < b.place; });
  return items;
}

void PendingPages::Keep(ListingPtr listing) {
  kept_.push_front(std::move(listing));
  size_t operands = 0;
  size_t count = 0;
  for (auto it = kept_.begin(); it != kept_.end();) {
    operands += (*it)->items.size();
    ++count;
    const bool old = clock_.Monotonic() - (*it)->taken > options_.max_age;
    if (old || count > options_.max_kept || operands > options_.max_kept_operands) {
      operands -= (*it)->items.size();
      --count;
      it = kept_.erase(it);
    } else {
      ++it;
    }
  }
}

Task<PendingPages::ListingPtr> PendingPages::Take(kube::NamespacedName csv, uint64_t id) {
  for (const ListingPtr& kept : kept_) {
    const bool young = clock_.Monotonic() - kept->taken <= options_.max_age;
    if (kept->id == id && kept->csv == csv && young) co_return kept;
  }
  CO_ASSIGN_OR_RETURN(const kube::Admission::Place place, listing_.Enter());
  auto listing = std::make_shared<Listing>();
  listing->id = ++next_id_;
  listing->csv = csv;
  listing->taken = clock_.Monotonic();
  CO_ASSIGN_OR_RETURN(controllers::OperandListing operands, co_await lister_(std::move(csv)));
  listing->items = Sorted(std::move(operands));
  co_return ListingPtr(std::move(listing));
}

void PendingPages::Append(const Item& item, cleanup::v1::ListPendingResponse& page) {
  cleanup::v1::PendingOperand& out = *page.add_operands();
  out.set_group(item.gvr.group);
  out.set_kind(item.kind);
  out.set_plural(item.gvr.resource);
  out.set_namespace_(item.operand.name.ns);
  out.set_name(item.operand.name.name);
  out.set_uid(item.operand.uid);
  out.set_deletion_timestamp(item.operand.deletion_timestamp);
  for (const std::string& finalizer : item.operand.finalizers) out.add_finalizers(finalizer);
}

Task<cleanup::v1::ListPendingResponse> PendingPages::Page(cleanup::v1::ListPendingRequest request,
                                                          size_t size, const MayList& may_list) {
  const kube::NamespacedName csv{request.namespace_(), request.name()};
  const std::string& token = request.page_token();
  const PageBinding binding = PageBinding::Of(request);
  PendingToken from;
  if (!token.empty()) {
    CO_ASSIGN_OR_RETURN(from, PendingToken::Parse(token, binding));
  }
  CO_ASSIGN_OR_RETURN(const ListingPtr listing, co_await Take(csv, from.listing));
  const std::vector<Item>& items = listing->items;
  auto next = items.begin();
  if (!token.empty()) {
    next = std::upper_bound(
        items.begin(), items.end(), from.after,
        [](const PendingPlace& place, const Item& item) { return place < item.place; });
  }
  cleanup::v1::ListPendingResponse page;
  PageVisibility visibility(may_list, options_.max_reviews);
  size_t bytes = 0;
  for (; next != items.end() && static_cast<size_t>(page.operands_size()) < size; ++next) {
    if (bytes > options_.max_bytes || !visibility.CanTell(next->gvr, next->place.ns)) break;
    CO_ASSIGN_OR_RETURN(const bool shows, co_await visibility.Shows(next->gvr, next->place.ns));
    if (!shows) {
      page.set_hidden(page.hidden() + 1);
      continue;
    }
    Append(*next, page);
    bytes += page.operands(page.operands_size() - 1).ByteSizeLong();
  }
  page.set_remaining(items.end() - next);
  if (next != items.end() && next != items.begin()) {
    PendingToken after;
    after.listing = listing->id;
    after.after = std::prev(next)->place;
    page.set_next_page_token(after.ToString(binding));
    if (from.listing != listing->id) Keep(listing);
  }
  co_return page;
}

}  // namespace steward::rpc
