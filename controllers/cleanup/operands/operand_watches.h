// Wakes cleanups when something happens to the custom resources that they wait for.
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
  // Open at a time, of all cleanups together; each takes a connection of the client. What would be
  // beyond is polled.
  size_t max_streams = 24;
  // A watch that did not work for so long is given up, and tried again after `retry`.
  absl::Duration patience = absl::Seconds(15);
  absl::Duration retry = absl::Minutes(2);
};

// Lists and watches of metadata, one of the whole cluster where the targets are many, held by
// nobody but for as long as a cleanup waits. What they tell is when to look, and never what there
// is: an event's contents do not matter, and nothing is decided by them. Lives on one executor.
class OperandWatches {
 public:
  // `csv` is to be looked at after `delay`. Never called within a call of this class.
  using Wake = std::function<void(const kube::NamespacedName& csv, absl::Duration delay)>;

  // REQUIRES: the references outlive this object.
  OperandWatches(MetadataWatches& metadata, Clock& clock, CleanupMetrics& metrics, Wake wake,
                 OperandWatchesOptions options = {});
  ~OperandWatches();

  // From now on `csv` waits for what is pending in `listing`, and for nothing else; each custom
  // resource there that appears or goes wakes it after `delay`. True when no change can be missed
  // from here on; else it has to be looked at now and then.
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
    std::unique_ptr<MetadataWatch> watch;        // null: there is none, for now
    std::optional<absl::Duration> unwell_since;  // monotonic
    std::optional<absl::Duration> not_before;    // it failed: another one may be opened then
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
