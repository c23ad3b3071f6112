// Frames of RFC 6455 in a client's role, correct and incorrect ones, for tests. Pure functions.
#ifndef APISERVER_HTTP_WEBSOCKET_WEBSOCKET_FRAMES_H_
#define APISERVER_HTTP_WEBSOCKET_WEBSOCKET_FRAMES_H_

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
  unsigned char first = 0;  // the first byte, with FIN and the reserved bits
  std::string payload;
  bool operator==(const Frame&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Frame& frame);

// A whole message, or a control frame.
Frame Whole(Opcode opcode, std::string_view payload = "");

// The bytes of one client frame, masked as required.
std::string ClientFrame(Opcode opcode, std::string_view payload = "", bool fin = true);
// The head of a frame that announces a payload of this size, without the payload. `first` as in
// Frame.
std::string ClientFrameHead(unsigned char first, size_t size, bool masked = true);

// The payload of a close frame.
std::string CloseCode(unsigned code);

// All frames in a server's bytes. A frame that is masked, incomplete or not in its shortest form
// ends the result, with the first byte 0 and the remaining bytes as its payload.
std::vector<Frame> ServerFrames(std::string_view bytes);

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_WEBSOCKET_FRAMES_H_
