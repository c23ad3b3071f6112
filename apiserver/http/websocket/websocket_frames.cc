#include "apiserver/http/websocket/websocket_frames.h"

#include <cstddef>
#include <cstdint>
#include <iomanip>

namespace steward::http {
namespace {

constexpr unsigned char kFin = 0x80;
constexpr std::string_view kMask = "\x12\x34\x56\x78";
constexpr size_t kShort = 125;
constexpr size_t kMedium = 0xffff;

void AppendBigEndian(uint64_t number, int bytes, std::string& out) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> shift & 0xff));
  }
}

uint64_t BigEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Frame& frame) {
  return out << std::hex << int{frame.first} << std::dec << ' ' << std::quoted(frame.payload);
}

Frame Whole(Opcode opcode, std::string_view payload) {
  return {static_cast<unsigned char>(kFin | opcode), std::string(payload)};
}

std::string ClientFrameHead(unsigned char first, size_t size, bool masked) {
  std::string head(1, static_cast<char>(first));
  const int mask = masked ? 0x80 : 0;
  if (size <= kShort) {
    head.push_back(static_cast<char>(mask | static_cast<int>(size)));
  } else if (size <= kMedium) {
    head.push_back(static_cast<char>(mask | 126));
    AppendBigEndian(size, 2, head);
  } else {
    head.push_back(static_cast<char>(mask | 127));
    AppendBigEndian(size, 8, head);
  }
  if (masked) head += kMask;
  return head;
}

std::string ClientFrame(Opcode opcode, std::string_view payload, bool fin) {
  const auto first = static_cast<unsigned char>((fin ? kFin : 0) | opcode);
  std::string frame = ClientFrameHead(first, payload.size());
  for (size_t i = 0; i < payload.size(); ++i) {
    frame.push_back(static_cast<char>(payload[i] ^ kMask[i % kMask.size()]));
  }
  return frame;
}

std::string CloseCode(unsigned code) {
  std::string payload;
  AppendBigEndian(code, 2, payload);
  return payload;
}

std::vector<Frame> ServerFrames(std::string_view bytes) {
  std::vector<Frame> frames;
  while (!bytes.empty()) {
    const std::string_view rest = bytes;
    const auto broken = [&] {
      frames.push_back({0, std::string(rest)});
      return frames;
    };
    if (bytes.size() < 2) return broken();
    const auto first = static_cast<unsigned char>(bytes[0]);
    uint64_t size = static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    const size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (size > 127 || bytes.size() < more) return broken();
    if (more > 0) size = BigEndian(bytes.substr(0, more));
    bytes.remove_prefix(more);
    const bool shortest = more == 0 || (more == 2 && size > kShort) || size > kMedium;
    if (!shortest || bytes.size() < size) return broken();
    frames.push_back({first, std::string(bytes.substr(0, size))});
    bytes.remove_prefix(size);
  }
  return frames;
}

}  // namespace steward::http
