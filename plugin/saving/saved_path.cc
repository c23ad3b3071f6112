#include "plugin/saving/saved_path.h"

#include "absl/strings/ascii.h"
#include "base/text/str_cat.h"
#include "kube/meta/uuid.h"

namespace steward::plugin {
namespace {

// So that a name with ".yaml" and the suffix of a temporary file stays below 255 bytes, the limit
// of file systems.
constexpr size_t kLongest = 200;
constexpr size_t kKept = 160;
// A namespace for these hashes only.
constexpr char kNamesOfFiles[] = "8c5a2d0e-3f0b-5c0c-9a3e-0f6f3f0b7e21";

constexpr char kClusterScoped[] = "_cluster";

}  // namespace

std::string SafeFileName(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const unsigned char c : text) {
    if (absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' ||
        (c == '.' && !out.empty())) {
      out.push_back(static_cast<char>(c));
    } else {
      out.push_back('%');
      out.push_back(kHex[c >> 4]);
      out.push_back(kHex[c & 15]);
    }
  }
  if (out.size() <= kLongest) return out;
  return StrCat(out.substr(0, kKept), "%", kube::UuidV5(kNamesOfFiles, text));
}

std::string SavedPath(std::string_view crd, const kube::NamespacedName& name) {
  return StrCat(SafeFileName(crd), "/", name.ns.empty() ? kClusterScoped : SafeFileName(name.ns),
                "/", SafeFileName(name.name), ".yaml");
}

}  // namespace steward::plugin
