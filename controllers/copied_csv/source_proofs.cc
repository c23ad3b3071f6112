#include "controllers/copied_csv/source_proofs.h"

#include <utility>

#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "olm/copy/slot.h"
#include "olm/decode.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kGoodFor = absl::Seconds(5);

}  // namespace

Task<std::shared_ptr<const SourceProofs::Source>> SourceProofs::Read(std::string source) {
  const absl::Duration now = clock_.Monotonic();
  if (const auto it = read_.find(source);
      it != read_.end() && now - it->second->read_at < kGoodFor) {
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
  read_[source] = read;
  co_return read;
}

Task<bool> SourceProofs::IsUnwanted(std::string source, olm::NamespacePtr ns) {
  CO_ASSIGN_OR_RETURN(const std::shared_ptr<const Source> read, co_await Read(source));
  // By OLM's rule, too, a copy has no copies: the original that once was there is gone.
  if (read->csv == nullptr || read->csv->copied) co_return true;
  co_return olm::ClaimOn({read->csv.get(), read->group.get()}, *ns) == olm::Claim::kNone;
}

}  // namespace steward::controllers
