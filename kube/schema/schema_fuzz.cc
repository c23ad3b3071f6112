#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdlib>

#include "base/json/json_text.h"
#include "kube/schema/schema.h"

// The input is a list: a schema, and an object. An update never fails for unchanged values.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace kube = steward::kube;
  const auto input = steward::ParseJson({reinterpret_cast<const char*>(data), size});
  if (!input.ok() || !input->is_array() || input->get_array().size() != 2) return 0;
  const boost::json::value& given = input->get_array()[1];
  const auto schema = kube::Schema::Parse(steward::Serialize(input->get_array()[0]));
  if (!schema.ok() || !given.is_object()) return 0;
  if (schema->Validate(given.get_object(), nullptr).size() > kube::Schema::kMaxCauses) std::abort();
  if (!schema->Validate(given.get_object(), &given.get_object()).empty()) std::abort();
  boost::json::object once = given.get_object();
  schema->Complete(once);
  schema->Validate(once, &given.get_object());
  return 0;
}
