#include "kube/manifest/manifest_reader.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/async/on_executor.h"
#include "base/async/own_thread.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

constexpr size_t kMaxThreads = 8;

struct Contents {
  Manifests manifests;
  size_t bytes = 0;
};

Task<Contents> ReadFile(std::string path) {
  Contents contents;
  const absl::StatusOr<std::string> text = ReadManifest(path, kMaxManifestFile);
  if (text.ok()) {
    contents.bytes = text->size();
    ParseManifests(path, *text, contents.manifests);
  } else {
    contents.manifests.problems.push_back({path, std::string(text.status().message())});
  }
  co_return contents;
}

template <typename T>
void MoveAll(std::vector<T>& from, std::vector<T>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// Lives on the caller's executor; only ReadFile runs elsewhere.
class Reader {
 public:
  explicit Reader(std::vector<std::string> files)
      : files_(std::move(files)), parts_(files_.size()), threads_(ThreadsFor(files_.size())) {}

  Task<Manifests> ReadAll() {
    co_await ForEachInFlight(threads_.size(), threads_.size(),
                             [this](size_t i) { return ReadOn(threads_[i]); });
    CO_RETURN_IF_ERROR(trouble_);
    Manifests all;
    for (Manifests& part : parts_) {
      MoveAll(part.objects, all.objects);
      MoveAll(part.problems, all.problems);
    }
    co_return all;
  }

 private:
  static size_t ThreadsFor(size_t files) {
    const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
    return std::min(cores, files);
  }

  // Reads files on `thread` as long as there are any left.
  VoidTask ReadOn(OwnThread& thread) {
    while (next_ < files_.size() && trouble_.ok()) {
      const size_t i = next_++;
      absl::StatusOr<Contents> contents =
          co_await OnExecutor(thread.executor(), ReadFile(files_[i]));
      bytes_ += contents->bytes;
      parts_[i] = std::move(contents->manifests);
      if (bytes_ > kMaxFileBytes) {
        trouble_ = absl::ResourceExhaustedError(
            StrCat("the files to load have more than ", kMaxFileBytes, " bytes"));
      }
    }
  }

  const std::vector<std::string> files_;
  std::vector<Manifests> parts_;
  size_t next_ = 0;
  size_t bytes_ = 0;
  absl::Status trouble_;
  std::deque<OwnThread> threads_;
};

}  // namespace

Task<Manifests> ReadManifests(std::vector<std::string> paths) {
  CO_ASSIGN_OR_RETURN(std::vector<std::string> files, FindManifests(paths));
  Reader reader(std::move(files));
  co_return co_await reader.ReadAll();
}

}  // namespace steward::kube
