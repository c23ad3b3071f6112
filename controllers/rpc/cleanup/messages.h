// Conversions of values into messages. Pure functions.
#ifndef CONTROLLERS_RPC_CLEANUP_MESSAGES_H_
#define CONTROLLERS_RPC_CLEANUP_MESSAGES_H_

#include <string>

#include "controllers/cleanup/inspector.h"
#include "olm/cleanup/outlook.h"
#include "olm/cleanup/verdict.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::rpc {

// Both functions name objects of the ClusterServiceVersion's namespace and cluster-scoped ones, and
// only count the others.
void WriteStatus(const olm::CleanupOutlook& outlook, cleanup::v1::CleanupStatus& out);
void WritePreview(const std::string& ns, const controllers::CleanupPreview& preview,
                  cleanup::v1::PreviewResponse& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_MESSAGES_H_
