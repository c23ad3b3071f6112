// Authorization for a server that shows a dump: every authenticated user may read, and nobody may
// write. Thread-safe: stateless.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_REVIEWS_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_REVIEWS_H_

#include <string>

#include "storage/embedded/local_reviews.h"

namespace steward::storage {

// The reasons for refusing a write, and a question that a dump cannot answer.
inline constexpr char kDumpIsReadOnly[] = "this is a dump, which is only read";
inline constexpr char kDumpIsNotLive[] = "this is a dump: only a live cluster can say that";

// Allows get, list and watch, self-reviews, and creates of planpreviews, which are answered and not
// stored. Denies the rest with the reason kDumpIsReadOnly.
class DumpReviews : public LocalReviews {
 public:
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_REVIEWS_H_
