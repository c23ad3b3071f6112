// Frames of RFC 6455 as a client writes and reads them, right ones and wrong ones: for tests.
#ifndef APISERVER_HTTP_WEBSOCKET_FRAMES_H_
#define APISERVER_HTTP_WEBSOCKET_FRAMES_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace steward::http {

enum Opcode : unsigned char {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xa,
};

struct Frame {
  unsigned char first = 0;  // with FIN and the reserved bits
  std::string payload;
  bool operator==(const Frame&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Frame& frame);

// A whole message, or control frame.
Frame Whole(Opcode opcode, std::string_view payload = "");

// One frame of a client's, masked as it must be.
std::string ClientFrame(Opcode opcode, std::string_view payload = "", bool fin = true);
// The head of a frame, announcing a payload of this size, and nothing of it. `first` as in Frame.
std::string ClientFrameHead(unsigned char first, size_t size, bool masked = true);

// The payload of a close frame.
std::string CloseCode(unsigned code);

// All frames in a server's bytes. Any that is masked, cut or not in its shortest form comes as one
// last frame with the first byte 0 and the rest as its payload.
std::vector<Frame> ServerFrames(std::string_view bytes);

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_FRAMES_H_
