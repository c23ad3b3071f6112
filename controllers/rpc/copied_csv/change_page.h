// A page of the changes that a choice makes, as its requester may see them. Stateless; runs on the
// caller's executor.
#ifndef CONTROLLERS_RPC_COPIED_CSV_CHANGE_PAGE_H_
#define CONTROLLERS_RPC_COPIED_CSV_CHANGE_PAGE_H_

#include <cstddef>
#include <vector>

#include "base/async/task.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {

// For single namespaces, for one page; then it ends.
inline constexpr size_t kMaxReviews = 100;

struct ShownChanges {
  copiedcsv::v1::PreviewResponse page;                  // without the summary
  std::vector<const controllers::CopyChange*> changes;  // of the difference; those of the page
};

// The page that `request` asks for. Errors: a page token of another request
// (400), and those of `may_list`, which outlives the call.
Task<ShownChanges> ChangePage(controllers::CopiesDifferencePtr difference,
                              copiedcsv::v1::PreviewRequest request, const MayList& may_list,
                              size_t max_reviews = kMaxReviews);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_CHANGE_PAGE_H_
