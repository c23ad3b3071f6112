// The watch verb: a cursor over the store's changes. Not thread-safe.
#ifndef STORAGE_EMBEDDED_EMBEDDED_WATCH_H_
#define STORAGE_EMBEDDED_EMBEDDED_WATCH_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "kube/client/client.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/operations/object_filter.h"
#include "storage/embedded/store/store.h"
#include "storage/embedded/table/version_table.h"

namespace steward::storage {

struct WatchStart {
  int64_t revision = 0;  // the events after this revision are sent
  // Sends first the objects of the state at `revision`, as ADDED; then, with initial_bookmark, the
  // bookmark that ends them.
  bool initial = false;
  bool initial_bookmark = false;
  absl::Duration timeout;
  absl::Duration bookmark_period;
};

// Holds some hundred events at most, because the cursor of a slow reader simply lags behind. If it
// lags behind the changes that the store keeps, Next returns 410.
class EmbeddedWatch : public kube::Watch {
 public:
  // REQUIRES: `store` outlives the watch.
  EmbeddedWatch(Store& store, kube::ResourceType type, ObjectFilter filter, WatchStart start);

  Task<std::optional<kube::WatchEvent>> Next() override;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  StatusTask Fill();
  StatusTask FillInitial();
  StatusTask FillChanges(int64_t upto);
  absl::Status AddChange(const Change& change);
  void AddBookmark(bool initial_events_end);
  void Add(kube::WatchEvent::Type type, int64_t revision, std::string_view body);
  bool Served() const;

  Store& store_;
  const kube::ResourceType type_;
  const std::string resource_;
  const ObjectFilter filter_;
  const WatchStart start_;
  const SteadyTime deadline_;
  SteadyTime next_bookmark_;

  int64_t cursor_;
  bool listing_;
  std::string initial_token_;
  std::deque<kube::WatchEvent> events_;
  bool over_ = false;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_EMBEDDED_WATCH_H_
