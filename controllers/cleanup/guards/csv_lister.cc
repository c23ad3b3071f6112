#include "controllers/cleanup/guards/csv_lister.h"

#include <algorithm>
#include <utility>

#include "base/status/macros.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace {

// Of one list that is made void again and again by changes.
constexpr int kTries = 3;

}  // namespace

struct CsvLister::Draft {
  struct Changed {
    kube::NamespacedName name;
    std::string uid;
    std::string resource_version;
  };

  CsvListing listing;
  Contents contents;  // of all that is listed
  std::vector<Changed> changed;

  // Of whatever kind of facts has them.
  template <typename Facts>
  void Note(const Facts& facts) {
    listing.names.insert(facts.key);
    const bool ours = facts.HasFinalizer(olm::kCleanupFinalizer) ||
                      facts.HasFinalizer(olm::kLegacyCleanupFinalizer);
    if (ours && facts.deleting()) listing.waiting.insert(facts.key);
  }
  void Take(std::string uid, Content content) {
    if (content.facts != nullptr) listing.csvs.push_back(*content.facts);
    contents.insert_or_assign(std::move(uid), std::move(content));
  }
  void Take(olm::CsvFacts csv) {
    std::string uid = csv.uid;
    Content content;
    content.resource_version = csv.resource_version;
    if (!csv.IsProvenCopy()) {
      content.facts = std::make_shared<const olm::CsvFacts>(std::move(csv));
    }
    Take(std::move(uid), std::move(content));
  }
};

Task<CsvListing> CsvLister::List() {
  for (int i = 0; i < kTries && !kept_.empty(); ++i) {
    Draft draft;
    CO_RETURN_IF_ERROR(co_await ListMetadata(draft));
    if (draft.changed.size() > kMaxReadAlone) break;
    CO_ASSIGN_OR_RETURN(const bool valid, co_await ReadChanged(draft));
    if (valid) co_return Finish(std::move(draft));
  }
  Draft draft;
  CO_RETURN_IF_ERROR(co_await ListWhole(draft));
  co_return Finish(std::move(draft));
}

CsvListing CsvLister::Finish(Draft draft) {
  // Whatever was read in which way: messages name them in this order.
  std::sort(draft.listing.csvs.begin(), draft.listing.csvs.end(),
            [](const olm::CsvFacts& a, const olm::CsvFacts& b) { return a.key < b.key; });
  kept_ = std::move(draft.contents);
  if (kept_.size() > kMaxKept) kept_ = Contents();
  return std::move(draft.listing);
}

StatusTask CsvLister::ListWhole(Draft& draft) {
  const auto take = [this, &draft](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(olm::CsvFacts csv, olm::DecodeCsvFacts(raw.json, terms_));
    draft.Note(csv);
    draft.Take(std::move(csv));
    return absl::OkStatus();
  };
  co_return co_await ListLive(client_, kCsvs, "", "", Detail::kWhole, take);
}

StatusTask CsvLister::ListMetadata(Draft& draft) {
  const auto take = [this, &draft](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(olm::ObjectFacts object, olm::DecodeObjectFacts(raw.json));
    draft.Note(object);
    const auto kept = kept_.find(object.uid);
    if (kept != kept_.end() && !object.resource_version.empty() &&
        kept->second.resource_version == object.resource_version) {
      draft.Take(std::move(object.uid), kept->second);
    } else {
      draft.changed.push_back(
          {std::move(object.key), std::move(object.uid), std::move(object.resource_version)});
    }
    return absl::OkStatus();
  };
  co_return co_await ListLive(client_, kCsvs, "", "", Detail::kMetadata, take);
}

// False when something has changed once more since the list: it no longer shows one moment.
Task<bool> CsvLister::ReadChanged(Draft& draft) {
  for (const Draft::Changed& changed : draft.changed) {
    const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kCsvs, changed.name);
    if (IsAbsence(raw.status(), changed.name.name)) co_return false;
    CO_RETURN_IF_ERROR(raw.status());
    CO_ASSIGN_OR_RETURN(olm::CsvFacts csv, olm::DecodeCsvFacts(raw->json, terms_));
    if (csv.uid != changed.uid || csv.resource_version != changed.resource_version) {
      co_return false;
    }
    draft.Take(std::move(csv));
  }
  co_return true;
}

}  // namespace steward::controllers
