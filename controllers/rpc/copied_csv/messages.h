// The messages of CopiedCSVService, written from differences. Pure functions.
#ifndef CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_
#define CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_

#include <string>

#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {

// Writes all but progress.of. `difference` is one from `choice`.
void WriteState(const controllers::CopiesDifference& difference,
                const controllers::CopyChoice& choice, copiedcsv::v1::State& out);

// The text by which a client resumes: equal for equal states, whichever replica wrote them.
std::string ResumeToken(const copiedcsv::v1::State& state);

// Writes all but requester_loses_sight.
void WriteChange(const controllers::CopyChange& change, copiedcsv::v1::Choice choice,
                 copiedcsv::v1::Change& out);

// Writes all but installed_operators.
void WriteSummary(const controllers::CopiesDifference& difference,
                  copiedcsv::v1::PreviewSummary& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_
