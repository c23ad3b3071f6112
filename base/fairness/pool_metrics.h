// Metrics of pools, under Kubernetes' names for priority and fairness: each pool is a priority
// level. Thread-safe.
#ifndef BASE_FAIRNESS_POOL_METRICS_H_
#define BASE_FAIRNESS_POOL_METRICS_H_

#include <string>

#include "absl/time/time.h"

namespace prometheus {
class Registry;
template <typename T>
class Family;
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace steward {

// The reason why a place was refused, in Kubernetes' words.
enum class PoolRefusal {
  kQueueFull,    // "queue-full"
  kTimeOut,      // "time-out": no place became free in time
  kConcurrency,  // "concurrency-limit": there is no queue
};

// The registry outlives this object, which outlives its pools.
class PoolMetrics {
 public:
  explicit PoolMetrics(prometheus::Registry& registry);

  // The series of one pool. Pools of the same name share their values. A Pool that was not made by
  // a PoolMetrics counts nothing.
  class Pool {
   public:
    // apiserver_flowcontrol_current_executing_requests
    void AddHeld(int change);
    // apiserver_flowcontrol_current_inqueue_requests
    void AddWaiting(int change);
    // apiserver_flowcontrol_request_wait_duration_seconds, for requests that waited only;
    // `admitted` is the label "execute".
    void ObserveWait(absl::Duration duration, bool admitted);
    // apiserver_flowcontrol_rejected_requests_total
    void Refuse(PoolRefusal reason);

   private:
    friend class PoolMetrics;
    PoolMetrics* metrics_ = nullptr;
    std::string name_;
    prometheus::Gauge* held_ = nullptr;
    prometheus::Gauge* waiting_ = nullptr;
  };
  // `name` is the value of the label "priority_level".
  Pool Of(std::string name);

 private:
  prometheus::Family<prometheus::Gauge>& held_;
  prometheus::Family<prometheus::Gauge>& waiting_;
  prometheus::Family<prometheus::Histogram>& waits_;
  prometheus::Family<prometheus::Counter>& refused_;
};

}  // namespace steward

#endif  // BASE_FAIRNESS_POOL_METRICS_H_
