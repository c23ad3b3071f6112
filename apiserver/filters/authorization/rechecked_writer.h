// The writer of a running watch, which checks the user's rights again and again. Lives on the
// connection's executor.
#ifndef APISERVER_FILTERS_AUTHORIZATION_RECHECKED_WRITER_H_
#define APISERVER_FILTERS_AUTHORIZATION_RECHECKED_WRITER_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::filters {

// If the last decision is more than about a minute old, asks the authorizer again before it writes.
// So a silent watch causes no reviews. The checks of many watches are spread over time. If the user
// has lost the right, or the user's credentials have ended, Write fails as if the client were gone,
// and refused() stays true. An undecided check is repeated a little later; after kUndecided it
// counts as a refusal.
class RecheckedWriter : public http::ResponseWriter {
 public:
  static constexpr absl::Duration kPeriod = absl::Minutes(1);
  static constexpr absl::Duration kAgain = absl::Seconds(10);
  static constexpr absl::Duration kUndecided = absl::Minutes(10);

  // REQUIRES: the authorizer has just allowed `request`. All references outlive this object.
  RecheckedWriter(http::ResponseWriter& next, const http::Request& request, Authorizer& authorizer,
                  Clock& clock, Random& random);

  bool refused() const { return refused_; }

  StatusTask WriteHead(http::ResponseHead head) override {
    return next_.WriteHead(std::move(head));
  }
  StatusTask Write(std::vector<http::Segment> segments) override;
  StatusTask Finish() override { return next_.Finish(); }
  void Settled() override { next_.Settled(); }
  int status() const override { return next_.status(); }
  uint64_t bytes_written() const override { return next_.bytes_written(); }

 private:
  StatusTask RecheckAndWrite(std::vector<http::Segment> segments);
  // The time of the next check: in about a minute, or earlier when the credentials end.
  absl::Duration NextDue(absl::Duration now);

  http::ResponseWriter& next_;
  const http::Request& request_;
  Authorizer& authorizer_;
  Clock& clock_;
  Random& random_;
  absl::Duration decided_;  // time of the last decision, monotonic
  absl::Duration due_;      // time of the next check
  bool refused_ = false;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHORIZATION_RECHECKED_WRITER_H_
