#include "storage/reflector/revision_probe.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/log/log.h"
#include "kube/meta/names.h"

namespace steward::storage {

void RevisionProbe::Ask() {
  if (!asked_.exchange(true)) question_.Notify();
}

VoidTask RevisionProbe::Run() {
  const kube::GroupVersionResource namespaces{"", "v1", "namespaces"};
  kube::ListOptions options;
  options.limit = 1;
  while (true) {
    const Broadcast::Ticket ticket = question_.Now();
    if (!asked_.load()) {
      co_await question_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
      continue;
    }
    // The flag is cleared before the list: a read that asks during the list needs another one.
    asked_.store(false);
    const absl::StatusOr<kube::ListPage> page = co_await client_.List(namespaces, options);
    uint64_t revision = 0;
    if (page.ok()) {
      const std::string& text = page->resource_version;
      std::from_chars(text.data(), text.data() + text.size(), revision);
      worlds_.LearnRevision(revision);
    } else {
      log::Verbose(2, "The cluster's revision could not be read", {{"err", page.status()}});
    }
    co_await clock_.Sleep(kPeriod);
  }
}

}  // namespace steward::storage
