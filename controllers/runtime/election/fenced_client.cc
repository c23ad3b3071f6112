#include "controllers/runtime/election/fenced_client.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/race.h"
#include "base/status/macros.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

VoidTask Run(Task<json::value> write, absl::StatusOr<json::value>& out) {
  out = co_await std::move(write);
}

// True if the cluster may still receive a write that ended with `status`. Some of these were never
// sent, but the error does not say which.
bool MayBeOnItsWay(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

// Notes the time unless the outcome becomes known; a cancellation leaves it unknown.
class FencedClient::Unresolved {
 public:
  explicit Unresolved(FencedClient& client) : client_(client) {}
  ~Unresolved() {
    if (resolved_) return;
    FencedClient& first = client_.first_;
    MutexLock lock(&first.mutex_);
    first.last_unresolved_ = first.clock_.Monotonic();
  }
  void Resolve() { resolved_ = true; }

 private:
  FencedClient& client_;
  bool resolved_ = false;
};

FencedClient::FencedClient(std::unique_ptr<kube::Client> reads,
                           std::unique_ptr<kube::Client> writes, FencedClient& first)
    : InterceptingClient(*reads),
      own_reads_(std::move(reads)),
      own_writes_(std::move(writes)),
      first_(first),
      writes_(*own_writes_),
      leadership_(first.leadership_),
      clock_(first.clock_) {}

std::unique_ptr<kube::Client> FencedClient::As(const kube::UserInfo& user) {
  return std::unique_ptr<FencedClient>(
      new FencedClient(inner().As(user), writes_.As(user), first_));
}

std::optional<absl::Duration> FencedClient::last_unresolved() const {
  MutexLock lock(&mutex_);
  return last_unresolved_;
}

Task<json::value> FencedClient::Write(kube::ClientWrite write) {
  CO_RETURN_IF_ERROR(leadership_.Check());
  write.may_send() = [this, asked = write.may_send()] {
    absl::Status leading = leadership_.Check();
    return leading.ok() ? kube::MaySend(asked) : leading;
  };
  Unresolved unresolved(*this);
  absl::StatusOr<json::value> answer =
      absl::UnavailableError("leadership ended while a write was under way; it may have happened");
  VoidTask work = Run(write.SendTo(writes_), answer);
  VoidTask lost = UntilLost(leadership_, clock_);
  co_await UntilOneEnds(std::move(work), std::move(lost));
  if (!MayBeOnItsWay(answer.status())) unresolved.Resolve();
  co_return std::move(answer);
}

}  // namespace steward::controllers
