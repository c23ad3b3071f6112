#include "controllers/copied_csv/source_proofs.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "olm/decode.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kGoodFor = absl::Seconds(2);

}  // namespace

Task<std::shared_ptr<const SourceProofs::Source>> SourceProofs::ReadSource(std::string source) {
  const absl::Duration now = clock_.Monotonic();
  if (const auto it = sources_.find(source);
      it != sources_.end() && now - it->second->read_at < kGoodFor) {
    co_return it->second;
  }
  auto read = std::make_shared<Source>();
  read->read_at = now;
  const kube::NamespacedName key{source, name_};
  const absl::StatusOr<kube::RawObject> csv = co_await client_.Get(olm::kCsvs, key);
  if (csv.ok()) {
    CO_ASSIGN_OR_RETURN(read->csv, olm::DecodeCsv(csv->json));
    kube::ListOptions options;
    options.ns = source;
    CO_ASSIGN_OR_RETURN(const kube::ListPage groups,
                        co_await client_.List(olm::kOperatorGroups, options));
    if (groups.items.size() == 1 && groups.continue_token.empty()) {
      CO_ASSIGN_OR_RETURN(read->group, olm::DecodeOperatorGroup(groups.items.front().json));
    }
  } else if (!kube::IsNotFound(csv.status(), name_)) {
    co_return csv.status();
  }
  sources_[source] = read;
  co_return read;
}

Task<std::shared_ptr<const SourceProofs::Policy>> SourceProofs::ReadPolicy() {
  const absl::Duration now = clock_.Monotonic();
  if (policy_ != nullptr && now - policy_->read_at < kGoodFor) co_return policy_;
  auto read = std::make_shared<Policy>();
  read->read_at = now;
  CO_ASSIGN_OR_RETURN(read->policy, co_await toggle_.ReadLive());
  policy_ = read;
  co_return policy_;
}

SourceProofs::Verdict SourceProofs::Unwanted(absl::Duration read_at) const {
  return {.unwanted = true, .still_good = [read_at, &clock = clock_]() -> absl::Status {
            if (clock.Monotonic() - read_at <= kGoodFor) return absl::OkStatus();
            return absl::AbortedError("the reading that the copy is not wanted is too old");
          }};
}

Task<SourceProofs::Verdict> SourceProofs::Judge(std::string source, olm::NamespacePtr ns) {
  using Global = olm::CopyPolicy::Global;
  CO_ASSIGN_OR_RETURN(const std::shared_ptr<const Source> read, co_await ReadSource(source));
  // An object that is itself a copy has no copies, also by OLM's rule. So the original is gone.
  if (read->csv == nullptr || read->csv->copied) co_return Unwanted(read->read_at);
  const olm::Original original{read->csv.get(), read->group.get()};
  olm::CopyPolicy policy = toggle_.policy();
  const auto is_unwanted = [&](Global global) {
    policy.global = global;
    return olm::ClaimOn(original, *ns, policy) == olm::Claim::kNone;
  };
  if (is_unwanted(Global::kCopied)) co_return Unwanted(read->read_at);
  if (!is_unwanted(Global::kNotCopied)) co_return Verdict();
  CO_ASSIGN_OR_RETURN(const std::shared_ptr<const Policy> choice, co_await ReadPolicy());
  policy = choice->policy;
  if (!is_unwanted(policy.global)) co_return Verdict();
  co_return Unwanted(std::min(read->read_at, choice->read_at));
}

}  // namespace steward::controllers
