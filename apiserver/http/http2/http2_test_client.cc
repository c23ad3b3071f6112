#include "apiserver/http/http2/http2_test_client.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace steward::http {
namespace {

std::string Text(const uint8_t* data, size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace

struct Http2TestClient::Callbacks {
  static Http2TestClient& Self(void* user_data) {
    return *static_cast<Http2TestClient*>(user_data);
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user_data) {
    Http2TestResponse& response = Self(user_data).responses_[frame->hd.stream_id];
    const std::string key = Text(name, name_size);
    const std::string text = Text(value, value_size);
    if (key != ":status") {
      response.fields[key] = text;
    } else if (text.starts_with('1')) {
      response.informational = std::atoi(text.c_str());
    } else {
      response.status = std::atoi(text.c_str());
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2TestClient& self = Self(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY) self.goaway_ = frame->goaway.error_code;
    const bool ends = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (ends && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      self.responses_[frame->hd.stream_id].ended = true;
    return 0;
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    Http2TestClient& self = Self(user_data);
    self.responses_[id].body += Text(data, size);
    self.unread_[id] += size;
    return 0;
  }

  static int OnClose(nghttp2_session*, int32_t id, uint32_t error, void* user_data) {
    Self(user_data).responses_[id].closed = error;
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* out, size_t max, uint32_t* flags,
                          nghttp2_data_source*, void* user_data) {
    auto& [body, end] = Self(user_data).bodies_[id];
    if (body.empty() && !end) return NGHTTP2_ERR_DEFERRED;
    const size_t n = std::min(max, body.size());
    std::memcpy(out, body.data(), n);
    body.erase(0, n);
    if (body.empty() && end) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  }
};

Http2TestClient::Http2TestClient(bool windows) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::OnFrame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::OnClose);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, windows ? 0 : 1);
  nghttp2_option_set_max_send_header_block_length(option, 4 << 20);
  nghttp2_option_set_peer_max_concurrent_streams(option, 100000);
  nghttp2_session_client_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
}

Http2TestClient::~Http2TestClient() { nghttp2_session_del(session_); }

int32_t Http2TestClient::Request(std::string_view method, std::string_view path, std::string body,
                                 std::vector<std::pair<std::string, std::string>> fields,
                                 bool end) {
  std::vector<std::pair<std::string, std::string>> all = {{":method", std::string(method)},
                                                          {":scheme", "https"},
                                                          {":path", std::string(path)},
                                                          {":authority", "h"}};
  all.insert(all.end(), fields.begin(), fields.end());
  if (body.empty() && end) return RawRequest(std::move(all));
  std::vector<nghttp2_nv> list;
  for (auto& [name, value] : all) {
    list.push_back({reinterpret_cast<uint8_t*>(name.data()),
                    reinterpret_cast<uint8_t*>(value.data()), name.size(), value.size(),
                    NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider provider;
  provider.source.ptr = nullptr;
  provider.read_callback = Callbacks::ReadBody;
  const int32_t id =
      nghttp2_submit_request(session_, nullptr, list.data(), list.size(), &provider, nullptr);
  bodies_[id] = {std::move(body), end};
  return id;
}

int32_t Http2TestClient::RawRequest(std::vector<std::pair<std::string, std::string>> fields) {
  std::vector<nghttp2_nv> list;
  for (auto& [name, value] : fields) {
    list.push_back({reinterpret_cast<uint8_t*>(name.data()),
                    reinterpret_cast<uint8_t*>(value.data()), name.size(), value.size(),
                    NGHTTP2_NV_FLAG_NONE});
  }
  return nghttp2_submit_request(session_, nullptr, list.data(), list.size(), nullptr, nullptr);
}

void Http2TestClient::Reset(int32_t id, uint32_t error) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error);
}

void Http2TestClient::Ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

void Http2TestClient::ReadMore(int32_t id) {
  nghttp2_session_consume(session_, id, std::exchange(unread_[id], 0));
}

void Http2TestClient::Widen(int32_t id, int bytes) {
  nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, 0, bytes);
  nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, id, bytes);
}

std::string Http2TestClient::TakeOutput() {
  std::string output;
  for (;;) {
    const uint8_t* data = nullptr;
    const ssize_t n = nghttp2_session_mem_send(session_, &data);
    if (n <= 0) return output;
    output += Text(data, static_cast<size_t>(n));
  }
}

bool Http2TestClient::Receive(std::string_view bytes) {
  const ssize_t n = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return n == static_cast<ssize_t>(bytes.size());
}

uint32_t Http2TestClient::remote_setting(int id) const {
  return nghttp2_session_get_remote_settings(session_, static_cast<nghttp2_settings_id>(id));
}

}  // namespace steward::http
