// The watches that wake cleanups when their pending operands change. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_OPERAND_WATCHES_H_
#define CONTROLLERS_CLEANUP_OPERANDS_OPERAND_WATCHES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct OperandWatchesOptions {
  // The limit of streams for all cleanups together, because each occupies a connection of the
  // client. Cleanups beyond the limit are polled.
  size_t max_streams = 24;
  // A watch that has not worked for this time is closed, and opened again after `retry`.
  absl::Duration patience = absl::Seconds(15);
  absl::Duration retry = absl::Minutes(2);
};

// Opens lists and watches of metadata; if the targets are many, a single one for the whole cluster.
// Holds no objects. A watch is open only while a cleanup waits. Its events only say when to look:
// their contents are ignored, and no decision depends on them.
class OperandWatches {
 public:
  // Called when `csv` should be looked at after `delay`. Never called within a call of this class.
  using Wake = std::function<void(const kube::NamespacedName& csv, absl::Duration delay)>;

  // REQUIRES: the references outlive this object.
  OperandWatches(MetadataWatches& metadata, Clock& clock, CleanupMetrics& metrics, Wake wake,
                 OperandWatchesOptions options = {});
  ~OperandWatches();

  // From now on, watches only the kinds and namespaces of the pending operands in `listing` for
  // `csv`. Each object there that appears or goes wakes `csv` after `delay`. Returns true when no
  // change can be missed from now on; else the caller must look regularly.
  bool Follow(const kube::NamespacedName& csv, const OperandListing& listing, absl::Duration delay);
  void Stop(const kube::NamespacedName& csv);

  size_t streams() const { return streams_; }

 private:
  struct Scope {
    kube::GroupVersionResource gvr;
    std::optional<std::set<std::string>> namespaces;  // nullopt = all
    auto operator<=>(const Scope&) const = default;
  };
  struct Followed {
    std::unique_ptr<MetadataWatch> watch;        // null: not open at the moment
    std::optional<absl::Duration> unwell_since;  // monotonic
    std::optional<absl::Duration> not_before;    // after a failure: no retry before this time
  };
  struct Cleanup {
    absl::Duration delay;
    std::map<Scope, Followed> followed;
  };

  static Scope ScopeOf(const OperandsOfCrd& operands);
  void Open(const kube::NamespacedName& csv, const Scope& scope, Followed& followed);
  void Close(Followed& followed);
  void CloseOthers(Cleanup& cleanup, const std::set<Scope>& wanted);
  bool IsWell(const Scope& scope, Followed& followed);

  MetadataWatches& metadata_;
  Clock& clock_;
  CleanupMetrics& metrics_;
  const Wake wake_;
  const OperandWatchesOptions options_;
  size_t streams_ = 0;
  std::map<kube::NamespacedName, Cleanup> cleanups_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_OPERAND_WATCHES_H_
