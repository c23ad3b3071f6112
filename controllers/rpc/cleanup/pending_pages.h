// Serves long listings of pending operands page by page. Lives on one executor.
#ifndef CONTROLLERS_RPC_CLEANUP_PENDING_PAGES_H_
#define CONTROLLERS_RPC_CLEANUP_PENDING_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "controllers/rpc/cleanup/page_tokens.h"
#include "kube/grpc/admission.h"
#include "kube/meta/names.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::rpc {

struct PendingPagesOptions {
  // Limits of the listings kept for later pages; beyond either limit the oldest is dropped, and
  // made again when needed.
  size_t max_kept = 8;
  size_t max_kept_operands = 200'000;
  absl::Duration max_age = absl::Seconds(30);
  int max_listings = 4;        // under way at a time; beyond, calls are refused with 429
  size_t max_reviews = 100;    // reviews for single namespaces per page; beyond, the page ends
  size_t max_bytes = 2 << 20;  // the limit of one page
};

// Pages are parts of a sorted listing. The pages of one walk come from one listing while it is
// kept, and then from a new one, starting at the same position. So an operand that is pending all
// the time is on exactly one page.
class PendingPages {
 public:
  using Lister = std::function<Task<controllers::OperandListing>(kube::NamespacedName csv)>;

  // REQUIRES: `clock` outlives this object and its calls.
  PendingPages(Clock& clock, Lister lister, PendingPagesOptions options = {});

  // Returns the page that `request` asks for, with at most `size` operands; page_size is ignored.
  // `may_list` outlives the call.
  Task<cleanup::v1::ListPendingResponse> Page(cleanup::v1::ListPendingRequest request, size_t size,
                                              const MayList& may_list);

 private:
  struct Item {
    PendingPlace place;
    kube::GroupVersionResource gvr;
    std::string kind;
    controllers::Operand operand;
  };
  struct Listing {
    uint64_t id = 0;
    kube::NamespacedName csv;
    absl::Duration taken;  // monotonic
    std::vector<Item> items;
  };
  using ListingPtr = std::shared_ptr<const Listing>;

  Task<ListingPtr> Take(kube::NamespacedName csv, uint64_t id);
  static std::vector<Item> Sorted(controllers::OperandListing listing);
  void Keep(ListingPtr listing);
  static void Append(const Item& item, cleanup::v1::ListPendingResponse& page);

  Clock& clock_;
  const Lister lister_;
  const PendingPagesOptions options_;
  std::list<ListingPtr> kept_;  // newest first
  uint64_t next_id_;
  kube::Admission listing_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_PENDING_PAGES_H_
