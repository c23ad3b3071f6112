// The kinds that copies are made of. Constants.
#ifndef CONTROLLERS_COPIED_CSV_RESOURCES_H_
#define CONTROLLERS_COPIED_CSV_RESOURCES_H_

#include "kube/meta/names.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kCsvResource = {"operators.coreos.com", "v1alpha1",
                                                        "clusterserviceversions"};
inline const kube::GroupVersionKind kCsvGvk = {"operators.coreos.com", "v1alpha1",
                                               "ClusterServiceVersion"};
inline const kube::GroupVersionResource kGroupResource = {"operators.coreos.com", "v1",
                                                          "operatorgroups"};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_RESOURCES_H_
