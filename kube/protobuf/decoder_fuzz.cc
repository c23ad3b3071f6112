// Decodes any bytes as an object to an error, or to JSON that names a kind.
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json/json_text.h"
#include "kube/meta/names.h"
#include "kube/protobuf/decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto object = steward::kube::DecodeProtobuf(body, {"", "v1", "ConfigMap"});
  if (!object.ok()) return 0;
  if (object->at("kind").as_string().empty() || object->at("apiVersion").as_string().empty()) {
    std::abort();
  }
  const auto again = steward::ParseJson(steward::Serialize(*object));
  if (!again.ok() || *again != boost::json::value(*object)) std::abort();
  return 0;
}
