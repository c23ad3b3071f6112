// Authorization for a server of a dump: everybody whom it knows may read, and nobody may write.
// Thread-safe: stateless.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_REVIEWS_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_REVIEWS_H_

#include <string>

#include "storage/embedded/local_reviews.h"

namespace steward::storage {

// The sentences for who wants to write, and for who asks what is not in a dump.
inline constexpr char kDumpIsReadOnly[] = "this is a dump, which is only read";
inline constexpr char kDumpIsNotLive[] = "this is a dump: only a live cluster can say that";

// Allows get, list and watch, the reviews of oneself, and the questions that are planpreviews;
// denies the rest with the sentence above.
class DumpReviews : public LocalReviews {
 public:
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_REVIEWS_H_
