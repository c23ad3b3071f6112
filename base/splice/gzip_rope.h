// A gzip stream made of ropes. Not thread-safe.
#ifndef BASE_SPLICE_GZIP_ROPE_H_
#define BASE_SPLICE_GZIP_ROPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/splice/deflated_texts.h"
#include "base/splice/rope.h"

namespace steward {

// Bytes of which some are owned and others belong to shared texts.
struct SplicedBytes {
  struct Splice {
    size_t at;  // in `own`
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };
  std::string own;
  std::vector<Splice> splices;
};

// Moves the text that the rope itself holds into the result, and leaves it empty there.
SplicedBytes TakeBytes(Rope& rope);

// One gzip stream.
class GzipRope {
 public:
  // `texts` outlives this object.
  explicit GzipRope(DeflatedTexts& texts) : texts_(texts) {}

  // The next bytes of the stream: those for `input`.
  SplicedBytes Append(const Rope& input);
  // Ends the stream by appending its last bytes to `bytes`.
  void Finish(SplicedBytes& bytes);

 private:
  void AppendText(std::string_view text, std::string& out);

  DeflatedTexts& texts_;
  bool begun_ = false;
  uint32_t crc_ = 0;
  uint64_t size_ = 0;
};

}  // namespace steward

#endif  // BASE_SPLICE_GZIP_ROPE_H_
