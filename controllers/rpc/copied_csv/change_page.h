// Makes pages of the changes that a choice causes, limited to what the requester may see.
// Stateless; runs on the caller's executor.
#ifndef CONTROLLERS_RPC_COPIED_CSV_CHANGE_PAGE_H_
#define CONTROLLERS_RPC_COPIED_CSV_CHANGE_PAGE_H_

#include <cstddef>
#include <vector>

#include "base/async/task.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {

// The most reviews for single namespaces per page; beyond, the page ends.
inline constexpr size_t kMaxReviews = 100;

struct ShownChanges {
  copiedcsv::v1::PreviewResponse page;                  // the page without its summary
  std::vector<const controllers::CopyChange*> changes;  // those on the page
};

// Returns the page that `request` asks for. Errors: 400 for a page token of another request, and
// the errors of `may_list`. REQUIRES: `may_list` outlives the call.
Task<ShownChanges> ChangePage(controllers::CopiesDifferencePtr difference,
                              copiedcsv::v1::PreviewRequest request, const MayList& may_list,
                              size_t max_reviews = kMaxReviews);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_CHANGE_PAGE_H_
