// The families of reconcilers, each with rights of its own. Constants.
#ifndef CONTROLLERS_FAMILIES_H_
#define CONTROLLERS_FAMILIES_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// deploy/base deploys this family; its rights are those of the reconciler "cleanup".
inline const ReconcilerFamily kCleanupFamily = {"cleanup", "steward-controllers"};

// deploy/overlays/standalone deploys this family.
inline const ReconcilerFamily kCertificatesFamily = {"certificates", "steward-certificates",
                                                     /*uses_worlds=*/false};

// deploy/overlays/apiservice-guard deploys this family.
inline const ReconcilerFamily kApiServiceGuardFamily = {
    "apiservice-guard", "steward-apiservice-guard", /*uses_worlds=*/false};

// deploy/overlays/copies deploys this family.
inline const ReconcilerFamily kCopiesFamily = {"copies", "steward-copied-csvs"};

// deploy/overlays/install-plans deploys this family.
inline const ReconcilerFamily kInstallPlansFamily = {"install-plans", "steward-install-plans",
                                                     /*uses_worlds=*/false};

// deploy/overlays/operators deploys this family.
inline const ReconcilerFamily kOperatorsFamily = {"operators", "steward-operators"};

// deploy/overlays/payload deploys this family.
inline const ReconcilerFamily kPayloadFamily = {"payload", "steward-payload",
                                                /*uses_worlds=*/false};

}  // namespace steward::controllers

#endif  // CONTROLLERS_FAMILIES_H_
