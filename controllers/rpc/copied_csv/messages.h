// The messages of CopiedCSVService, written from differences. Pure functions.
#ifndef CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_
#define CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_

#include <string>
#include <vector>

#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "olm/preview/preview.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {

// Writes all but progress.of. `difference` is one from `choice`.
void WriteState(const controllers::CopiesDifference& difference,
                const controllers::CopyChoice& choice, copiedcsv::v1::State& out);

// The text by which a client resumes: equal for equal states, whichever replica wrote them.
std::string ResumeToken(const copiedcsv::v1::State& state);

// What becomes of a change, if nothing stands against it.
olm::Outcome ActionOf(const controllers::CopyChange& change);

// Writes all but requester_loses_sight.
void WriteChange(const controllers::CopyChange& change, copiedcsv::v1::Choice choice,
                 copiedcsv::v1::Change& out);

// Appends the step of a change, of which `told` is the message: by rule, what becomes of it, and
// where its original is.
void AddStep(const controllers::CopyChange& change, const copiedcsv::v1::Change& told,
             olm::PlanPreview& preview);

// Whether all of it would be done, as far as the steps of this page tell.
olm::PlanCondition ConditionOf(const copiedcsv::v1::PreviewSummary& all,
                               const std::vector<olm::PreviewStep>& steps);

// Writes all but installed_operators.
void WriteSummary(const controllers::CopiesDifference& difference,
                  copiedcsv::v1::PreviewSummary& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_MESSAGES_H_
