// Parses any bytes to a page whose items lie inside the body, or to an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "kube/client/list_page.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::kube::RawObject;
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(RawObject::kPadding, '\0');
  const auto body = std::make_shared<const std::string>(std::move(text));
  const auto page = steward::kube::ParseListPage(body);
  if (!page.ok()) return 0;
  for (const RawObject& item : page->items) {
    const bool inside = item.json.data() >= body->data() &&
                        item.json.data() + item.json.size() <= body->data() + size;
    if (!inside || item.json.empty() || item.json.front() != '{' || item.json.back() != '}') {
      std::abort();
    }
  }
  return 0;
}
