// HeldVersions is total: it accepts any bytes, and a state equals itself exactly if it is known.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kube/client/raw_object.h"
#include "storage/reflector/held_versions.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const steward::kube::RawObject object =
      steward::kube::OwnedRawObject(std::string(reinterpret_cast<const char*>(data), size));
  steward::storage::HeldVersions held;
  held.Put(object);
  if (held.SameAs(held) != held.known()) std::abort();
  held.Remove(object);
  if (held.size() != 0) std::abort();
  return 0;
}
