#include "plugin/command/waiting.h"

#include "base/status/macros.h"

namespace steward::plugin {

StatusTask WaitFor(Session& session, Awaited& awaited, Deadline deadline, absl::Duration pause) {
  const absl::Duration began = session.clock.Monotonic();
  while (true) {
    absl::Duration waited = session.clock.Monotonic() - began;
    CO_ASSIGN_OR_RETURN(const bool come, co_await awaited.IsDone(waited));
    if (come) co_return absl::OkStatus();
    waited = session.clock.Monotonic() - began;
    if (deadline.Passed()) co_return awaited.OutOfTime(waited, deadline.limit());
    awaited.Show(waited);
    co_await session.clock.Sleep(pause);
  }
}

}  // namespace steward::plugin
