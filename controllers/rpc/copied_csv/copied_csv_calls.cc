#include "controllers/rpc/copied_csv/copied_csv_calls.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/broadcast.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "controllers/rpc/copied_csv/change_page.h"
#include "controllers/rpc/copied_csv/change_trials.h"
#include "controllers/rpc/copied_csv/messages.h"
#include "controllers/rpc/worlds/synced.h"
#include "kube/meta/status.h"
#include "olm/config/olm_config.h"
#include "olm/preview/preview.h"
#include "olm/preview/preview_message.h"
#include "olm/resources.h"

namespace steward::rpc {
namespace {

template <typename Request>
absl::Status CheckNothing(const Request&) {
  return absl::OkStatus();
}

// Returns the right for a request. The choice is stored in one object, the OLMConfig, so each
// request needs a right to a subresource of that object.
MethodTarget Choice(std::string_view verb, std::string_view subresource) {
  return {{std::string(verb), olm::kOlmConfigs, std::string(subresource), "", olm::kOlmConfigName},
          ""};
}

// Returns the reason why copies are not known as a 503.
absl::Status NotKnown(const absl::Status& why) {
  return kube::ToStatus(kube::ServiceUnavailable(
      StrCat("copies are not known at this moment: ", ToStd(why.message())), kRetrySeconds));
}

}  // namespace

namespace copied_csv_methods {

const Method<copiedcsv::v1::GetStateRequest> kGetState = {
    .name = "GetState",
    .check = CheckNothing<copiedcsv::v1::GetStateRequest>,
    .target = [](const copiedcsv::v1::GetStateRequest&) { return Choice("get", "copies"); }};

const Method<copiedcsv::v1::WatchRequest> kWatch = {
    .name = "Watch",
    .check = CheckNothing<copiedcsv::v1::WatchRequest>,
    .target = [](const copiedcsv::v1::WatchRequest&) { return Choice("watch", "copies"); }};

const Method<copiedcsv::v1::PreviewRequest> kPreview = {
    .name = "Preview",
    .check =
        [](const copiedcsv::v1::PreviewRequest& request) {
          if (request.choice() != copiedcsv::v1::CHOICE_ON &&
              request.choice() != copiedcsv::v1::CHOICE_OFF) {
            return BadRequest("choice: must be CHOICE_ON or CHOICE_OFF");
          }
          return PageSize(request.page_size()).status();
        },
    .target = [](const copiedcsv::v1::PreviewRequest&) { return Choice("get", "preview"); }};

}  // namespace copied_csv_methods

CopiedCsvCalls::CopiedCsvCalls(CopiedCsvCallsDeps deps, Access& access,
                               CopiedCsvCallsOptions options)
    : deps_(std::move(deps)),
      access_(access),
      options_(options),
      tries_(deps_.cluster),
      trials_(deps_.clock, options.trials) {}

Task<copiedcsv::v1::State> CopiedCsvCalls::ReadState() {
  controllers::CopiesDifferencePtr difference;
  do {
    absl::StatusOr<controllers::CopiesDifferencePtr> compared = co_await deps_.copies.Compare();
    if (!compared.ok()) co_return NotKnown(compared.status());
    difference = *std::move(compared);
    // Repeat if the choice has changed meanwhile.
  } while (difference->policy != deps_.copies.choice().policy);
  copiedcsv::v1::State state;
  WriteState(*difference, deps_.copies.choice(), state);
  copiedcsv::v1::Progress& progress = *state.mutable_progress();
  most_left_ = progress.left() == 0 ? 0 : std::max<int64_t>(most_left_, progress.left());
  progress.set_of(most_left_);
  co_return state;
}

Task<copiedcsv::v1::GetStateResponse> CopiedCsvCalls::GetState(Requester,
                                                               copiedcsv::v1::GetStateRequest) {
  copiedcsv::v1::GetStateResponse response;
  CO_ASSIGN_OR_RETURN(*response.mutable_state(), co_await ReadState());
  response.set_resume_token(ResumeToken(response.state()));
  co_return response;
}

StatusTask CopiedCsvCalls::Watch(Requester, copiedcsv::v1::WatchRequest request,
                                 CopiesStateSink& sink) {
  const absl::Duration end = deps_.clock.Monotonic() + options_.life;
  std::string token = request.resume_token();
  std::optional<absl::Duration> told;  // when the last message went; nullopt: no message yet
  while (deps_.clock.Monotonic() < end) {
    const Broadcast::Ticket copies = deps_.copies.changed().Now();
    const Broadcast::Ticket worlds = deps_.worlds.published().Now();
    absl::StatusOr<copiedcsv::v1::State> state = co_await ReadState();
    if (!state.ok() && !told) co_return state.status();
    if (state.ok()) {
      copiedcsv::v1::WatchResponse message;
      message.set_resume_token(ResumeToken(*state));
      const bool changed = message.resume_token() != token;
      if (changed) {
        *message.mutable_state() = *std::move(state);
      } else {
        message.mutable_unchanged();
      }
      if (changed || !told || deps_.clock.Monotonic() - *told >= options_.progress) {
        token = message.resume_token();
        CO_RETURN_IF_ERROR(co_await sink.Write(std::move(message)));
        told = deps_.clock.Monotonic();
      }
    }
    co_await Broadcast::WaitForEither(
        deps_.copies.changed(), copies, deps_.worlds.published(), worlds,
        std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(options_.progress));
    if (options_.pace > absl::ZeroDuration()) co_await deps_.clock.Sleep(options_.pace);
  }
  co_return absl::OkStatus();
}

Task<copiedcsv::v1::PreviewResponse> CopiedCsvCalls::Preview(
    Requester requester, copiedcsv::v1::PreviewRequest request) {
  if (!deps_.reconciles) {
    copiedcsv::v1::PreviewResponse nothing;
    nothing.mutable_summary()->set_not_reconciled(true);
    olm::WriteCondition(ConditionOf(nothing.summary(), {}),
                        *nothing.mutable_preview()->mutable_executable());
    co_return nothing;
  }
  PreviewPlaces::Place place;
  const bool tries = request.try_changes();
  if (tries) {
    CO_ASSIGN_OR_RETURN(place, co_await trials_.Enter(requester));
  }
  const absl::StatusOr<controllers::CopiesDifferencePtr> difference =
      co_await deps_.copies.Compare(request.choice() == copiedcsv::v1::CHOICE_OFF);
  if (!difference.ok()) co_return NotKnown(difference.status());
  const std::function<VoidTask()> pace = trials_.PaceOf(requester);
  const MayList may_list = MayListAs(access_, std::move(requester));
  CO_ASSIGN_OR_RETURN(ShownChanges shown,
                      co_await ChangePage(*difference, std::move(request), may_list));
  copiedcsv::v1::PreviewResponse& page = shown.page;
  olm::PlanPreview preview;
  if (tries) {
    CO_ASSIGN_OR_RETURN(preview, co_await TryChanges(tries_, **difference, pace, shown));
  }
  copiedcsv::v1::PreviewSummary& summary = *page.mutable_summary();
  WriteSummary(**difference, summary);
  if (summary.deletes() > 0) {
    const absl::StatusOr<bool> served = co_await deps_.serves_installed_operators();
    summary.set_installed_operators(!served.ok() ? "Unknown" : *served ? "Served" : "NotServed");
  }
  if (tries) {
    preview.condition = ConditionOf(summary, preview.steps);
    olm::WritePreview(preview, *page.mutable_preview());
  }
  co_return std::move(page);
}

}  // namespace steward::rpc
