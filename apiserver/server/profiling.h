// Profiles of the running process, for users who may get /debug/pprof/*. Thread-safe.
#ifndef APISERVER_SERVER_PROFILING_H_
#define APISERVER_SERVER_PROFILING_H_

#include <string>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"

namespace steward::server {

// A profiler that takes CPU profiles of the whole process, one at a time. Not thread-safe.
class CpuProfiler {
 public:
  virtual ~CpuProfiler() = default;
  // Begins to write a profile to the file. kUnimplemented: no profiler is installed on this
  // machine.
  virtual absl::Status Start(const std::string& path) = 0;
  // Ends the profile: the file is complete. REQUIRES: started.
  virtual void Stop() = 0;

  // gperftools' libprofiler.so.0 (Debian's package libgoogle-perftools4), loaded for the first
  // profile, without linking to it. Lives as long as the process.
  static CpuProfiler& Gperftools();
};

// Answers these paths, and passes all others on to `next`:
//   /debug/pprof/profile?seconds=N   a CPU profile as gperftools writes it (`google-pprof` and `go
//                                    tool pprof` read it) of 1 to 50 seconds, else 30; 409 while
//                                    another one is taken, 501 where nothing can
//   /debug/pprof/heap                what malloc holds, as XML (malloc_info(3))
// The references outlive the handler.
http::Handler WithProfiling(http::Handler next, CpuProfiler& profiler, Clock& clock);

}  // namespace steward::server

#endif  // APISERVER_SERVER_PROFILING_H_
