// A gzip stream made piece by piece (RFC 1952).
#ifndef APISERVER_REST_GZIP_H_
#define APISERVER_REST_GZIP_H_

#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace steward::rest {

// Holds about 256 KiB until destroyed. Not thread-safe.
class GzipWriter {
 public:
  // `level`: zlib's, 1 (fastest) to 9 (smallest).
  explicit GzipWriter(int level);
  ~GzipWriter();

  // Takes `input` in and appends what is ready to `out`; the compressor may keep some back.
  void Write(std::string_view input, std::string& out);
  // Appends the rest and the trailer. Nothing may be written afterwards.
  void Finish(std::string& out);

 private:
  void Run(std::string_view input, int flush, std::string& out);

  std::unique_ptr<z_stream_s> stream_;
};

std::string Gzip(std::string_view input, int level);

}  // namespace steward::rest

#endif  // APISERVER_REST_GZIP_H_
