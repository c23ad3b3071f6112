// The deliberate deviations of implementations from a kube-apiserver. Thread-safe.
#ifndef KUBE_TESTING_CONFORMANCE_DIFFERENCES_H_
#define KUBE_TESTING_CONFORMANCE_DIFFERENCES_H_

#include <vector>

#include "kube/testing/conformance/conformance.h"

namespace steward::kube::conformance {

// Returns the deviations of the store in Steward's own process (storage/embedded).
const std::vector<Difference>& EmbeddedDifferences();

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_DIFFERENCES_H_
