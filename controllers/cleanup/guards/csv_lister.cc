#include "controllers/cleanup/guards/csv_lister.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace {

// The number of tries when changes invalidate a list.
constexpr int kTries = 3;

// A labelled ClusterServiceVersion and its claims; null: not known yet.
struct Copy {
  kube::NamespacedName key;
  const olm::CopyClaims* claims;
};

// The originals of a listing, which prove copies.
class Originals {
 public:
  explicit Originals(const std::vector<olm::CsvFacts>& csvs) {
    for (const olm::CsvFacts& csv : csvs) {
      if (!csv.copied_from.has_value()) originals_.emplace(csv.key, &csv);
    }
  }
  bool Prove(const olm::CopyClaims& copy) const {
    const auto original = originals_.find(copy.original);
    return original != originals_.end() && olm::Proves(*original->second, copy);
  }
  // Returns one of the unproven copies with equal claims for all of them, and in addition each
  // whose namespace contains the object that it claims to replace.
  std::vector<Copy> Representatives(const std::vector<Copy>& unproven) const {
    std::set<olm::CopyClaims> seen;
    std::vector<Copy> chosen;
    for (const Copy& copy : unproven) {
      const bool alone = copy.claims == nullptr ||
                         originals_.contains({copy.key.ns, copy.claims->replaces}) ||
                         seen.insert(*copy.claims).second;
      if (alone) chosen.push_back(copy);
    }
    return chosen;
  }

 private:
  std::map<kube::NamespacedName, const olm::CsvFacts*> originals_;
};

}  // namespace

struct CsvLister::Draft {
  struct Changed {
    kube::NamespacedName name;
    std::string uid;
    std::string resource_version;
  };

  explicit Draft(std::string of) : selector(std::move(of)) {}

  std::string selector;  // "" = copies are listed, too
  CsvListing listing;
  Contents contents;  // of all listed objects
  std::vector<Changed> changed;
  std::set<std::string> gone;  // UIDs of remembered objects that are gone
  // Objects that had the label when they were first seen, with their claims; equal claims are held
  // once.
  std::vector<std::pair<kube::NamespacedName, std::shared_ptr<const olm::CopyClaims>>> copies;
  std::map<olm::CopyClaims, std::shared_ptr<const olm::CopyClaims>> claims;

  // Works for all kinds of facts that have these members.
  template <typename Facts>
  void Note(const Facts& facts) {
    listing.names.insert(facts.key);
    if (olm::WaitsForCleanup(facts)) listing.waiting.insert(facts.key);
  }
  void Take(const kube::NamespacedName& key, std::string uid, Content content) {
    if (content.claims != nullptr) {
      content.claims = claims.try_emplace(*content.claims, content.claims).first->second;
      copies.emplace_back(key, content.claims);
    } else {
      listing.csvs.push_back(*content.facts);
    }
    contents.insert_or_assign(std::move(uid), std::move(content));
  }
};

Task<CsvListing> CsvLister::List(CopyReading copies) {
  if (copies_ == nullptr) copies = CopyReading::kListed;
  for (int i = 0; i <= kTries; ++i) {
    Draft draft(copies == CopyReading::kListed ? "" : StrCat("!", olm::kCopiedFromLabel));
    // The last try is a whole list, because it needs no further reads during which objects could
    // change.
    bool whole = kept_.empty() || i == kTries;
    if (!whole) {
      CO_RETURN_IF_ERROR(co_await ListMetadata(draft));
      whole = draft.changed.size() > kMaxReadAlone;
      if (whole) draft = Draft(std::move(draft.selector));
    }
    if (whole) CO_RETURN_IF_ERROR(co_await ListWhole(draft));
    CO_ASSIGN_OR_RETURN(bool valid, co_await ReadChanged(draft));
    if (valid && copies != CopyReading::kListed) {
      CO_ASSIGN_OR_RETURN(valid, co_await ReadMissing(draft));
    }
    if (valid && copies == CopyReading::kFollowed) {
      CO_ASSIGN_OR_RETURN(valid, co_await CountCopies(draft));
    }
    if (!valid) continue;
    if (copies == CopyReading::kIgnored) draft.listing.waiting.merge(copies_->waiting());
    co_return Finish(std::move(draft));
  }
  co_return absl::UnavailableError("ClusterServiceVersions change while they are read");
}

Task<std::optional<olm::CsvFacts>> CsvLister::Find(kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kCsvs, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return std::nullopt;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(olm::CsvFacts csv, olm::DecodeCsvFacts(raw->json, terms_));
  co_return std::move(csv);
}

void CsvLister::NoteDepartures(Draft& draft) {
  if (recently_deleted_ == nullptr) return;
  for (const auto& [uid, content] : kept_) {
    if (content.facts == nullptr || draft.contents.contains(uid)) continue;
    // An object that a complete list lacks is gone.
    if (draft.selector.empty() || draft.gone.contains(uid)) recently_deleted_->Note(content.facts);
  }
  draft.listing.departed = recently_deleted_->Recent();
}

CsvListing CsvLister::Finish(Draft draft) {
  NoteDepartures(draft);
  std::vector<olm::CsvFacts>& csvs = draft.listing.csvs;
  std::vector<olm::CsvFacts> counted;
  const Originals originals(csvs);
  std::vector<Copy> unproven;
  for (const auto& [claims, held] : draft.claims) draft.listing.copied.insert(claims.original);
  for (const auto& [key, claims] : draft.copies) {
    if (!originals.Prove(*claims)) unproven.push_back({key, claims.get()});
  }
  for (const Copy& copy : originals.Representatives(unproven)) {
    counted.push_back(olm::FactsOf(copy.key, *copy.claims));
  }
  std::move(counted.begin(), counted.end(), std::back_inserter(csvs));
  // Sort, so that messages name them in the same order, however they were read.
  std::sort(csvs.begin(), csvs.end(),
            [](const olm::CsvFacts& a, const olm::CsvFacts& b) { return a.key < b.key; });
  std::swap(kept_, draft.contents);
  if (draft.selector.empty()) {
    if (kept_.size() > kMaxKept) kept_ = Contents();
    return std::move(draft.listing);
  }
  // Keep the objects that another call has listed meanwhile: ReadMissing needs them.
  for (auto& [uid, content] : draft.contents) {
    if (content.facts != nullptr && !draft.gone.contains(uid)) {
      kept_.try_emplace(uid, std::move(content));
    }
  }
  return std::move(draft.listing);
}

void CsvLister::Take(olm::CsvFacts csv, Draft& draft) {
  const auto before = kept_.find(csv.uid);
  const bool was_original = before != kept_.end() && before->second.facts != nullptr;
  const kube::NamespacedName key = csv.key;
  std::string uid = csv.uid;
  Content content;
  content.resource_version = csv.resource_version;
  std::optional<olm::CopyClaims> claims = olm::ClaimsOf(csv);
  if (claims.has_value() && !was_original) {
    content.claims = std::make_shared<const olm::CopyClaims>(*std::move(claims));
  } else {
    content.facts = std::make_shared<const olm::CsvFacts>(std::move(csv));
  }
  draft.Take(key, std::move(uid), std::move(content));
}

StatusTask CsvLister::ListWhole(Draft& draft) {
  const auto take = [this, &draft](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(olm::CsvFacts csv, olm::DecodeCsvFacts(raw.json, terms_));
    draft.Note(csv);
    Take(std::move(csv), draft);
    return absl::OkStatus();
  };
  co_return co_await ListLive(client_, kCsvs, "", draft.selector, Detail::kWhole, take);
}

StatusTask CsvLister::ListMetadata(Draft& draft) {
  const auto take = [this, &draft](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(olm::ObjectFacts object, olm::DecodeObjectFacts(raw.json));
    draft.Note(object);
    const auto kept = kept_.find(object.uid);
    if (kept != kept_.end() && !object.resource_version.empty() &&
        kept->second.resource_version == object.resource_version) {
      draft.Take(object.key, std::move(object.uid), kept->second);
    } else {
      draft.changed.push_back(
          {std::move(object.key), std::move(object.uid), std::move(object.resource_version)});
    }
    return absl::OkStatus();
  };
  co_return co_await ListLive(client_, kCsvs, "", draft.selector, Detail::kMetadata, take);
}

// Returns false when an object has changed again since the list, which then no longer shows one
// moment.
Task<bool> CsvLister::ReadChanged(Draft& draft) {
  for (const Draft::Changed& changed : draft.changed) {
    CO_ASSIGN_OR_RETURN(std::optional<olm::CsvFacts> csv, co_await Find(changed.name));
    if (!csv.has_value() || csv->uid != changed.uid ||
        csv->resource_version != changed.resource_version) {
      co_return false;
    }
    Take(*std::move(csv), draft);
  }
  co_return true;
}

// Reads the objects that were listed without the label before and are not listed now. Returns false
// as ReadChanged does.
Task<bool> CsvLister::ReadMissing(Draft& draft) {
  std::vector<std::pair<kube::NamespacedName, std::string>> missing;
  for (const auto& [uid, content] : kept_) {
    if (content.facts != nullptr && !draft.contents.contains(uid)) {
      missing.emplace_back(content.facts->key, uid);
    }
  }
  for (const auto& [key, uid] : missing) {
    CO_ASSIGN_OR_RETURN(std::optional<olm::CsvFacts> csv, co_await Find(key));
    if (!csv.has_value() || csv->uid != uid) {
      draft.gone.insert(uid);
      continue;
    }
    if (!csv->copied_from.has_value()) co_return false;
    draft.Note(*csv);
    Take(*std::move(csv), draft);
  }
  co_return true;
}

// Adds the copies that are not proven. Returns false as ReadChanged does, or when the CopyIndex
// lags behind.
Task<bool> CsvLister::CountCopies(Draft& draft) {
  CO_RETURN_IF_ERROR(copies_->health());
  if (copies_->unread() > kMaxReadAlone) {
    co_return absl::UnavailableError(StrCat(copies_->unread(),
                                            " ClusterServiceVersions with label ",
                                            olm::kCopiedFromLabel, " are not read yet"));
  }
  const Originals originals(draft.listing.csvs);
  struct Said {
    kube::NamespacedName key;
    std::optional<olm::CopyClaims> claims;
  };
  std::vector<Said> unproven;
  std::vector<Copy> copies;
  const auto is_unproven = [&originals](const olm::CopyClaims& claims) {
    return !originals.Prove(claims);
  };
  for (const CopyIndex::Labelled& copy : copies_->Select(is_unproven)) {
    // Skip the listed ones: ReadMissing has just read them.
    if (!draft.listing.names.contains(copy.key)) copies.push_back({copy.key, copy.claims});
  }
  for (const Copy& copy : originals.Representatives(copies)) {
    unproven.push_back(
        {copy.key, copy.claims == nullptr ? std::nullopt : std::optional(*copy.claims)});
  }
  std::vector<olm::CsvFacts> counted;
  for (size_t i = 0; i < unproven.size(); ++i) {
    const auto& [key, said] = unproven[i];
    // For the others, use the claims in the index.
    if (said.has_value() && i >= kMaxReadAlone) {
      counted.push_back(olm::FactsOf(key, *said));
      continue;
    }
    CO_ASSIGN_OR_RETURN(std::optional<olm::CsvFacts> csv, co_await Find(key));
    if (!csv.has_value()) co_return false;
    const std::optional<olm::CopyClaims> claims = olm::ClaimsOf(*csv);
    if (!claims.has_value() || (said.has_value() && *claims != *said)) co_return false;
    if (!originals.Prove(*claims)) counted.push_back(*std::move(csv));
  }
  std::move(counted.begin(), counted.end(), std::back_inserter(draft.listing.csvs));
  co_return true;
}

}  // namespace steward::controllers
