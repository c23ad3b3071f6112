#include "kube/client/list_tries.h"

#include "kube/meta/errors.h"

namespace steward::kube {
namespace {

constexpr int kTries = 4;

}  // namespace

StatusTask RestartExpired(std::function<StatusTask()> list) {
  absl::Status status;
  for (int tries = 0; tries < kTries; ++tries) {
    status = co_await list();
    if (!IsExpired(status)) break;
  }
  co_return status;
}

StatusTask ListByAnyVersion(std::vector<std::string> versions,
                            std::function<StatusTask(std::string version)> list) {
  absl::Status first;
  for (const std::string& version : versions) {
    const absl::Status status = co_await list(version);
    if (status.ok() || IsExpired(status)) co_return status;
    if (first.ok()) first = status;
  }
  if (first.ok()) first = absl::UnavailableError("it has no served version");
  co_return first;
}

}  // namespace steward::kube
