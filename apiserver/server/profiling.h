// Profiles of the running process, for those who may get /debug/pprof/*.
#ifndef APISERVER_SERVER_PROFILING_H_
#define APISERVER_SERVER_PROFILING_H_

#include <string>

#include "absl/status/status.h"
#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::server {

// Takes CPU profiles of the whole process, one at a time.
class CpuProfiler {
 public:
  virtual ~CpuProfiler() = default;
  // Begins to write one to the file. kUnimplemented: this machine has nothing that could.
  virtual absl::Status Start(const std::string& path) = 0;
  // Ends it: the file is complete. REQUIRES: started.
  virtual void Stop() = 0;

  // gperftools' libprofiler.so.0 (Debian's package libgoogle-perftools4), which is loaded when the
  // first profile is asked for: nothing links it. Lives as long as the process.
  static CpuProfiler& Gperftools();
};

// Answers, and passes the rest on to `next`:
//   /debug/pprof/profile?seconds=N   a CPU profile as gperftools writes it (`google-pprof` and `go
//                                    tool pprof` read it) of 1 to 50 seconds, else 30; 409 while
//                                    another one is taken, 501 where nothing can
//   /debug/pprof/heap                what malloc holds, as XML (malloc_info(3))
// The references outlive the handler.
http::Handler WithProfiling(http::Handler next, CpuProfiler& profiler, Clock& clock);

}  // namespace steward::server

#endif  // APISERVER_SERVER_PROFILING_H_
