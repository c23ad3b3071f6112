// The reconciler "sample", the smallest possible one, for lists of reconcilers in tests. Lives on
// one executor.
#ifndef CONTROLLERS_RUNTIME_TESTING_SAMPLE_RECONCILER_H_
#define CONTROLLERS_RUNTIME_TESTING_SAMPLE_RECONCILER_H_

#include "controllers/runtime/known_reconciler.h"
#include "kube/meta/names.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kSamples = {"example.com", "v1", "samples"};
inline const kube::NamespacedName kSample = {"", "sample"};

// Sets spec.greeting of kSample to the value of --sample-greeting. Conflicts with olm-operator.
KnownReconciler KnownSample();

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_TESTING_SAMPLE_RECONCILER_H_
