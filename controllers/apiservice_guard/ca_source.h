// The object from which the guard reads the authority of the API servers' certificates. A value;
// the function runs on the caller's executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_CA_SOURCE_H_
#define CONTROLLERS_APISERVICE_GUARD_CA_SOURCE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// A key of a Secret or of a ConfigMap in Steward's namespace.
struct CaSource {
  bool secret = false;  // else a ConfigMap
  std::string name = "steward-apiserver-ca";
  std::string key = "ca.crt";

  // Parses the flag: "secrets/NAME/KEY" or "configmaps/NAME/KEY". kInvalidArgument for other text.
  static absl::StatusOr<CaSource> Parse(std::string_view text);
  std::string ToString() const;
};

// The authorities in PEM; "" while the object or its key does not exist. kDataLoss if the value is
// not text.
Task<std::string> ReadCaBundle(kube::Client& client, const std::string& ns, const CaSource& source);

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_CA_SOURCE_H_
