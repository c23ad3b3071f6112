// An event recorder that writes to the cluster. Lives on one executor.
#ifndef CONTROLLERS_RUNTIME_EVENTS_CLUSTER_EVENTS_H_
#define CONTROLLERS_RUNTIME_EVENTS_CLUSTER_EVENTS_H_

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/value.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"

namespace steward::controllers {

struct ClusterEventsOptions {
  std::string component = "steward-controllers";  // the reporting component
  std::string instance;                           // the process among its replicas
  // The limit of different events that are remembered, so that repeats are counted. Beyond it, the
  // least recently seen event is forgotten, and dropped if it was not written yet.
  size_t max_events = 4096;
  // The limit of writes about one object: `burst` at once, then one in each `interval`. Further
  // events wait, and their repeats are counted meanwhile.
  double burst = 25;
  absl::Duration interval = absl::Minutes(5);
  absl::Duration write_timeout = absl::Seconds(10);
  int tries = 3;  // of one write; after them it counts as failed
};

// Writes core/v1 Events. Creates an Event the first time; later patches its count and
// lastTimestamp, or creates a new one if the cluster has dropped it. One write at a time, the
// longest waiting first.
//
// Counts steward_events_total{result=written|failed|dropped}.
class ClusterEvents : public EventRecorder {
 public:
  // REQUIRES: the references outlive this object.
  ClusterEvents(kube::Client& client, Clock& clock, Random& random, ClusterEventsOptions options,
                prometheus::Registry& registry);
  ~ClusterEvents() override;

  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override;

  // Writes the recorded events. Runs until cancelled.
  VoidTask Run();
  // Returns when everything that may be written now has been written, or after `limit`.
  VoidTask Flush(absl::Duration limit);

  // The number of remembered events, and of those that wait to be written.
  size_t remembered() const { return events_.size(); }
  size_t waiting() const { return waiting_.size(); }

 private:
  struct Identity {
    kube::NamespacedName name;
    kube::GroupVersionKind gvk;
    std::string uid;
    EventType type;
    std::string reason;
    std::string message;
    auto operator<=>(const Identity&) const = default;
  };
  struct Event;
  struct Bucket;
  using Order = std::list<const Identity*>;  // into events_

  static prometheus::Counter& Counter(prometheus::Registry& registry, const char* result);
  void ForgetOldest();
  // Takes a token for the next event that may be written, and returns the event. If there is none,
  // returns null, and sets `wait` to the time until one may be written.
  const Identity* NextWritable(absl::Duration& wait);
  bool HasWritable() const;
  bool TakeToken(const std::string& uid, absl::Duration& wait);
  void SweepBuckets();
  VoidTask WriteNext(const Identity* next);
  StatusTask Write(Identity identity);
  Task<boost::json::value> WriteOnce(Identity identity);
  Task<boost::json::value> Create(Identity identity);
  Task<boost::json::value> Count(Identity identity);
  VoidTask UntilIdle();

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const ClusterEventsOptions options_;
  uint32_t number_;  // makes names differ
  prometheus::Counter& written_;
  prometheus::Counter& failed_;
  prometheus::Counter& dropped_;

  std::map<Identity, Event> events_;
  Order by_use_;   // least recently seen first
  Order waiting_;  // longest waiting first
  std::map<std::string, Bucket> buckets_;
  bool writing_ = false;
  Broadcast changed_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_EVENTS_CLUSTER_EVENTS_H_
