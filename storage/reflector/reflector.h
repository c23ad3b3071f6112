// A mirror of one resource of a cluster, kept current by a list and then watches, for ever. Not
// thread-safe.
//
// The first list is consistent (no resourceVersion) and read in pages of one revision, smaller ones
// where a page is too large (kube::Pager). The watch begins at the list's revision. When a stream
// ends or breaks, the next stream resumes at the newest revision that the sink was told. A new list
// is made only when the server no longer knows that revision (410), or when the stream can't be
// decoded or contradicts itself. So after a restart of the server, the reflector only starts a new
// watch, and no event is lost or delivered twice.
//
// After a failure the reflector waits, by exponential backoff with jitter and at least as long as a
// Retry-After says (up to a minute); the backoff starts over once a watch has brought an event or
// lived for a second.
//
// The reflector may conclude that a type is absent: it then knows that there are no objects. It
// does so only if `ReflectorOptions::may_be_absent` is set, and by this rule. A denial is a 404 in
// the form that the kube-apiserver sends: with a Status in its body, or with the bare text "404
// page not found", which it sends for a group and version without types. Any other 404 (a proxy's
// page, or an error without a Status, which no server sent) is a failure like others. The type is
// absent after
//  - `absent_answers` denials in a row, one backoff apart, when nothing is held of it: about a
//    second after the start;
//  - as many that also span `absent_hold`, when it has been listed since it was last absent.
// Any other answer or failure in between begins the count anew. Until then each denial is reported
// as a failure, and the objects that are held stay. An absent type is polled each `absent_poll`,
// and stays absent until it has been listed.
#ifndef STORAGE_REFLECTOR_REFLECTOR_H_
#define STORAGE_REFLECTOR_REFLECTOR_H_

#include <cstddef>
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
  bool metadata_only = false;  // as in kube::ListOptions
  int64_t page_size = 500;
  size_t page_bytes = 0;  // as in kube::ListOptions::max_bytes
  // The longest wait is short, because the served objects grow stale meanwhile, and a reflector
  // makes only one request at a time.
  BackoffOptions backoff = {.max = absl::Seconds(5)};
  // Whether the cluster may lack this type, as it may with custom resources. If false, a 404 is a
  // failure.
  bool may_be_absent = false;
  int absent_answers = 3;
  absl::Duration absent_hold = absl::Seconds(30);
  absl::Duration absent_poll = absl::Seconds(2);
  absl::Duration watch_timeout = absl::Minutes(5);  // the requested duration of a stream
};

// Run is called once; `sink` is called on its executor.
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
  // Counts `failure` if it is a denial, else resets the count. Returns true if the type is absent.
  bool IsAbsence(const absl::Status& failure);
  void BecomeAbsent();
  absl::Duration NoteFailure(const absl::Status& why);
  absl::Status ReadRevision(const std::string& text, uint64_t& revision) const;

  kube::Client& client_;
  Clock& clock_;
  const ReflectorOptions options_;
  ReflectorSink& sink_;
  Backoff backoff_;

  std::optional<uint64_t> position_;  // newest revision told to the sink; nullopt: a list is due
  bool connected_ = false;
  enum class Known { kNothing, kList, kAbsent } known_ = Known::kNothing;  // held by the sink
  int denials_ = 0;                                                        // in a row
  absl::Time first_denial_;
  // The pages of the last list expired while they were read: the next list is made in one page.
  bool list_whole_ = false;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_REFLECTOR_H_
