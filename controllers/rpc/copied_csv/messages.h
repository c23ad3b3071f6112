// Writes the messages of CopiedCSVService from differences. Pure functions.
#ifndef CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_
#define CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_

#include <string>
#include <vector>

#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "olm/preview/preview.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {

// Writes all fields except progress.of. REQUIRES: `difference` is made from `choice`.
void WriteState(const controllers::CopiesDifference& difference,
                const controllers::CopyChoice& choice, copiedcsv::v1::State& out);

// Returns the token with which a client resumes. Equal states give equal tokens in all replicas.
std::string ResumeToken(const copiedcsv::v1::State& state);

// Returns the outcome of a change if nothing prevents it.
olm::Outcome ActionOf(const controllers::CopyChange& change);

// Writes all fields except requester_loses_sight.
void WriteChange(const controllers::CopyChange& change, copiedcsv::v1::Choice choice,
                 copiedcsv::v1::Change& out);

// Appends the step of a change to the preview. `told` is the change's message. The step has the
// outcome by rule and says where the original is.
void AddStep(const controllers::CopyChange& change, const copiedcsv::v1::Change& told,
             olm::PlanPreview& preview);

// Returns whether all changes would be done, as far as the steps of this page show.
olm::PlanCondition ConditionOf(const copiedcsv::v1::PreviewSummary& all,
                               const std::vector<olm::PreviewStep>& steps);

// Writes all fields except installed_operators.
void WriteSummary(const controllers::CopiesDifference& difference,
                  copiedcsv::v1::PreviewSummary& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_
