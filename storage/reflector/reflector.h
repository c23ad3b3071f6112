// Keeps one resource of a cluster mirrored: list, then watch, for ever.
//
// The first list is consistent (no resourceVersion) and read in pages of one revision. The watch
// begins at the list's revision; when a stream ends or breaks, the next one resumes at the newest
// revision told. A new list is made only when the server no longer knows that revision (410) or the
// stream can't be decoded or contradicts itself. So a server that restarts costs a new watch, and
// nothing is lost or told twice.
//
// Failures wait by exponential backoff with jitter, at least as long as a Retry-After says (up to a
// minute); the backoff starts over once a watch has brought something or lived for a second. A type
// that does not exist is polled.
#ifndef STORAGE_REFLECTOR_REFLECTOR_H_
#define STORAGE_REFLECTOR_REFLECTOR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/backoff.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "storage/reflector/sink.h"

namespace steward::storage {

struct ReflectorOptions {
  kube::GroupVersionResource gvr;
  std::string ns;  // "" = all namespaces, or a cluster-scoped resource
  std::string label_selector;
  std::string field_selector;
  int64_t page_size = 500;
  // Short at its longest: what is served grows stale meanwhile, and a reflector is one request.
  BackoffOptions backoff = {.max = absl::Seconds(5)};
  absl::Duration absent_poll = absl::Seconds(2);
  absl::Duration watch_timeout = absl::Minutes(5);  // how long a stream is asked for
};

// Not thread-safe: Run is called once, and `sink` is told on its executor.
class Reflector {
 public:
  // REQUIRES: `client`, `clock`, `random` and `sink` outlive Run.
  Reflector(kube::Client& client, Clock& clock, Random& random, ReflectorOptions options,
            ReflectorSink& sink);

  // Runs until cancelled.
  VoidTask Run();

 private:
  // Reads the whole state; sets `position_`.
  StatusTask List();
  // Follows one stream from `position_`; OK when it ended in order.
  StatusTask Watch();

  absl::Status TakeEvent(const kube::WatchEvent& event);
  void BecomeConnected();
  void BecomeAbsent();
  absl::Duration NoteFailure(const absl::Status& why);
  absl::Status ReadRevision(const std::string& text, uint64_t& revision) const;

  kube::Client& client_;
  Clock& clock_;
  const ReflectorOptions options_;
  ReflectorSink& sink_;
  Backoff backoff_;

  std::optional<uint64_t> position_;  // everything up to it has been told; none: a list is due
  bool connected_ = false;
  bool absent_ = false;
  // The pages of the last list expired under us: the next one comes whole.
  bool list_whole_ = false;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_REFLECTOR_H_
