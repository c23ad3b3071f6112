#include "apiserver/rest/gzip.h"

#include <zlib.h>

#include <new>

namespace steward::rest {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;  // 16 asks for gzip's header instead of zlib's
constexpr size_t kStep = 16 * 1024;

}  // namespace

GzipWriter::GzipWriter(int level) : stream_(std::make_unique<z_stream_s>()) {
  // With these arguments there is nothing else to fail.
  if (deflateInit2(stream_.get(), level, Z_DEFLATED, kGzipWindow, /*memLevel=*/8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipWriter::~GzipWriter() { deflateEnd(stream_.get()); }

void GzipWriter::Write(std::string_view input, std::string& out) { Run(input, Z_NO_FLUSH, out); }

void GzipWriter::Finish(std::string& out) { Run({}, Z_FINISH, out); }

void GzipWriter::Run(std::string_view input, int flush, std::string& out) {
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream_->avail_in = input.size();
  do {
    const size_t before = out.size();
    out.resize(before + kStep);
    stream_->next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream_->avail_out = kStep;
    deflate(stream_.get(), flush);
    out.resize(out.size() - stream_->avail_out);
  } while (stream_->avail_out == 0);
}

std::string Gzip(std::string_view input, int level) {
  std::string out;
  GzipWriter writer(level);
  writer.Write(input, out);
  writer.Finish(out);
  return out;
}

}  // namespace steward::rest
