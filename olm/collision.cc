#include "olm/collision.h"

#include <tuple>

namespace steward::olm {

bool WinsIn(std::string_view ns, const Csv& a, const Csv& b) {
  const auto rank = [ns](const Csv& csv) {
    return std::make_tuple(csv.key.ns != ns, std::string_view(csv.created),
                           std::string_view(csv.uid), std::string_view(csv.key.ns));
  };
  return rank(a) < rank(b);
}

}  // namespace steward::olm
