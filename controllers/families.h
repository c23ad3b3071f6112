// The families of reconcilers. Each family has its own rights. Constants.
#ifndef CONTROLLERS_FAMILIES_H_
#define CONTROLLERS_FAMILIES_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// deploy/base deploys this family; it has the rights of the reconciler "cleanup".
inline const ReconcilerFamily kCleanupFamily = {
    "cleanup",
    "steward-controllers",
    /*uses_worlds=*/true,
    {"steward-cleanup-copied-from", "steward-cleanup-foreground", "steward-cleanup-opt-in",
     "steward-cleanup-uninstall", "steward-controllers-deletes", "steward-controllers-writes"}};

// deploy/overlays/standalone deploys this family.
inline const ReconcilerFamily kCertificatesFamily = {
    "certificates",
    "steward-certificates",
    /*uses_worlds=*/false,
    {"steward-certificates-registration", "steward-certificates-secrets"}};

// deploy/base deploys this family.
inline const ReconcilerFamily kApiServiceGuardFamily = {
    "apiservice-guard",
    "steward-apiservice-guard",
    /*uses_worlds=*/false,
    {"steward-apiservice-guard-namespace", "steward-apiservice-guard-record",
     "steward-apiservice-guard-registration"}};

// deploy/overlays/copies deploys this family.
inline const ReconcilerFamily kCopiesFamily = {
    "copies",
    "steward-copied-csvs",
    /*uses_worlds=*/true,
    {"steward-copied-csvs-events", "steward-copied-csvs-writes"}};

// deploy/overlays/install-plans deploys this family.
inline const ReconcilerFamily kInstallPlansFamily = {"install-plans",
                                                     "steward-install-plans",
                                                     /*uses_worlds=*/false,
                                                     {"steward-install-plans-writes"}};

// deploy/overlays/operators deploys this family.
inline const ReconcilerFamily kOperatorsFamily = {
    "operators",
    "steward-operators",
    /*uses_worlds=*/true,
    {"steward-operators-copied-rbac", "steward-operators-csvs", "steward-operators-deletions",
     "steward-operators-labels", "steward-operators-lifted-rbac"}};

// deploy/overlays/payload deploys this family.
inline const ReconcilerFamily kPayloadFamily = {"payload",
                                                "steward-payload",
                                                /*uses_worlds=*/false,
                                                {"steward-payload-writes"}};

}  // namespace steward::controllers

#endif  // CONTROLLERS_FAMILIES_H_
