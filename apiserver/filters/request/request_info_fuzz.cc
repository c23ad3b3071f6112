#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/filters/request/request_info.h"
#include "apiserver/http/message/target.h"

// Input: "METHOD target".
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t blank = input.find(' ');
  if (blank == std::string_view::npos) return 0;
  auto target = steward::http::ParseTarget(input.substr(blank + 1));
  if (!target.ok()) return 0;
  steward::http::Request request;
  request.method = input.substr(0, blank);
  request.path = target->path;
  request.query = target->query;
  const auto info = steward::filters::ReadRequestInfo(request);
  if (!info.ok()) return 0;
  // Authorization relies on this: only resource requests have resource attributes, and their path
  // has a version.
  if (info->is_resource) {
    if (request.path.find("api") == std::string::npos) std::abort();
  } else if (!info->resource.empty() || !info->ns.empty() || !info->name.empty()) {
    std::abort();
  }
  return 0;
}
