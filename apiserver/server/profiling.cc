#include "apiserver/server/profiling.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "apiserver/filters/request/status_response.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::server {
namespace {

constexpr int kDefaultSeconds = 30;
// Less than one minute, the time that a request may take.
constexpr int kMaxSeconds = 50;
constexpr size_t kMaxProfileBytes = size_t{64} << 20;

class GperftoolsProfiler : public CpuProfiler {
 public:
  absl::Status Start(const std::string& path) override {
    const std::optional<Functions>& functions = Loaded();
    if (!functions.has_value()) {
      return absl::UnimplementedError(
          "there is no libprofiler.so.0 here (package libgoogle-perftools4)");
    }
    if (functions->start(path.c_str()) == 0) {
      return absl::InternalError("libprofiler does not begin a profile");
    }
    return absl::OkStatus();
  }
  void Stop() override { Loaded()->stop(); }

 private:
  struct Functions {
    int (*start)(const char*);
    void (*stop)();
  };

  static const std::optional<Functions>& Loaded() {
    static const std::optional<Functions> functions = []() -> std::optional<Functions> {
      void* const library = dlopen("libprofiler.so.0", RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) return std::nullopt;
      Functions found{};
      found.start = reinterpret_cast<int (*)(const char*)>(dlsym(library, "ProfilerStart"));
      found.stop = reinterpret_cast<void (*)()>(dlsym(library, "ProfilerStop"));
      if (found.start == nullptr || found.stop == nullptr) return std::nullopt;
      return found;
    }();
    return functions;
  }
};

// A file in memory only: the process may have no disk to write to.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("profile", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool ok() const { return descriptor_ >= 0; }
  std::string path() const { return StrCat("/proc/self/fd/", descriptor_); }

  absl::StatusOr<std::string> Contents() const {
    struct stat about {};
    if (fstat(descriptor_, &about) != 0) return absl::ErrnoToStatus(errno, "a profile's size");
    const auto size = static_cast<size_t>(about.st_size);
    if (size > kMaxProfileBytes) return absl::ResourceExhaustedError("the profile is too large");
    std::string contents(size, '\0');
    for (size_t at = 0; at < size;) {
      const ssize_t got =
          pread(descriptor_, contents.data() + at, size - at, static_cast<off_t>(at));
      if (got <= 0) return absl::ErrnoToStatus(errno, "reading a profile");
      at += static_cast<size_t>(got);
    }
    return contents;
  }

 private:
  const int descriptor_;
};

// The state that all requests share.
struct Profiling {
  CpuProfiler& profiler;
  Clock& clock;
  std::atomic<bool> busy{false};
};

// Exclusive use of the profiler. Its destructor ends a running profile, however the request ends.
class Turn {
 public:
  explicit Turn(Profiling& profiling)
      : profiling_(profiling), mine_(!profiling.busy.exchange(true)) {}
  ~Turn() {
    Stop();
    if (mine_) profiling_.busy.store(false);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool mine() const { return mine_; }
  absl::Status Start(const std::string& path) {
    const absl::Status status = profiling_.profiler.Start(path);
    running_ = status.ok();
    return status;
  }
  void Stop() {
    if (running_) profiling_.profiler.Stop();
    running_ = false;
  }

 private:
  Profiling& profiling_;
  const bool mine_;
  bool running_ = false;
};

VoidTask RespondBytes(http::ResponseWriter& writer, std::string_view type, std::string bytes) {
  const absl::Status sent = co_await http::Respond(writer, 200, type, std::move(bytes));
  sent.IgnoreError();  // the client is gone
}

VoidTask ServeProfile(std::shared_ptr<Profiling> profiling, http::Request& request,
                      http::ResponseWriter& writer) {
  int seconds = kDefaultSeconds;
  const std::string* wanted = request.Query("seconds");
  if (wanted != nullptr &&
      (!absl::SimpleAtoi(*wanted, &seconds) || seconds < 1 || seconds > kMaxSeconds)) {
    co_await filters::RespondText(writer, 400, StrCat("seconds: 1 to ", kMaxSeconds));
    co_return;
  }
  Turn turn(*profiling);
  if (!turn.mine()) {
    co_await filters::RespondText(writer, 409, "another profile is being taken");
    co_return;
  }
  const MemoryFile file;
  absl::Status started = absl::InternalError("there is no memory for a profile");
  if (file.ok()) started = turn.Start(file.path());
  if (!started.ok()) {
    const int code = absl::IsUnimplemented(started) ? 501 : 500;
    co_await filters::RespondText(writer, code, std::string(started.message()));
    co_return;
  }
  log::Info("Taking a CPU profile",
            {{"seconds", seconds}, {"user", request.user.name}, {"auditID", request.audit_id}});
  co_await profiling->clock.Sleep(absl::Seconds(seconds));
  turn.Stop();
  absl::StatusOr<std::string> profile = file.Contents();
  if (!profile.ok()) {
    co_await filters::RespondText(writer, 500, std::string(profile.status().message()));
    co_return;
  }
  co_await RespondBytes(writer, "application/octet-stream", *std::move(profile));
}

VoidTask ServeHeap(http::ResponseWriter& writer) {
  char* text = nullptr;
  size_t size = 0;
  std::string answer;
  if (FILE* const stream = open_memstream(&text, &size); stream != nullptr) {
    malloc_info(0, stream);
    std::fclose(stream);
    answer.assign(text, size);
    std::free(text);
  }
  return RespondBytes(writer, "application/xml", std::move(answer));
}

}  // namespace

CpuProfiler& CpuProfiler::Gperftools() {
  static auto& profiler = *new GperftoolsProfiler();
  return profiler;
}

http::Handler WithProfiling(http::Handler next, CpuProfiler& profiler, Clock& clock) {
  const std::shared_ptr<Profiling> profiling(new Profiling{profiler, clock});
  return [next = std::move(next), profiling](http::Request& request, http::ResponseWriter& writer) {
    if (request.path == "/debug/pprof/profile") return ServeProfile(profiling, request, writer);
    if (request.path == "/debug/pprof/heap") return ServeHeap(writer);
    return next(request, writer);
  };
}

}  // namespace steward::server
