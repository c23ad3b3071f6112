#include "controllers/runtime/election/fenced_client.h"

#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/race.h"
#include "base/status/macros.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

VoidTask Run(Task<json::value> write, absl::StatusOr<json::value>& out) {
  out = co_await std::move(write);
}

// A ForwardingClient would let each write pass that is not overridden.
static_assert(!std::is_base_of_v<kube::ForwardingClient, FencedClient>);

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
    : ForwardingReads(*reads),
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

template <typename Options>
Options FencedClient::Fenced(const Options& options) const {
  Options fenced = options;
  fenced.may_send = [this, asked = options.may_send] {
    absl::Status leading = leadership_.Check();
    return leading.ok() ? kube::MaySend(asked) : leading;
  };
  return fenced;
}

Task<json::value> FencedClient::Guard(Task<json::value> write) {
  CO_RETURN_IF_ERROR(leadership_.Check());
  Unresolved unresolved(*this);
  absl::StatusOr<json::value> answer =
      absl::UnavailableError("leadership ended while a write was under way; it may have happened");
  VoidTask work = Run(std::move(write), answer);
  VoidTask lost = UntilLost(leadership_, clock_);
  co_await UntilOneEnds(std::move(work), std::move(lost));
  if (!MayBeOnItsWay(answer.status())) unresolved.Resolve();
  co_return std::move(answer);
}

Task<json::value> FencedClient::Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                       const json::value& object,
                                       const kube::WriteOptions& options) {
  const kube::WriteOptions fenced = Fenced(options);
  co_return co_await Guard(writes_.Create(gvr, ns, object, fenced));
}

Task<json::value> FencedClient::Update(const kube::GroupVersionResource& gvr,
                                       const json::value& object,
                                       const kube::WriteOptions& options) {
  const kube::WriteOptions fenced = Fenced(options);
  co_return co_await Guard(writes_.Update(gvr, object, fenced));
}

Task<json::value> FencedClient::Patch(const kube::GroupVersionResource& gvr,
                                      const kube::NamespacedName& name, kube::PatchType type,
                                      const json::value& patch, const kube::WriteOptions& options) {
  const kube::WriteOptions fenced = Fenced(options);
  co_return co_await Guard(writes_.Patch(gvr, name, type, patch, fenced));
}

Task<json::value> FencedClient::Delete(const kube::GroupVersionResource& gvr,
                                       const kube::NamespacedName& name,
                                       const kube::DeleteOptions& options) {
  const kube::DeleteOptions fenced = Fenced(options);
  co_return co_await Guard(writes_.Delete(gvr, name, fenced));
}

}  // namespace steward::controllers
