#include "controllers/certificates/authority.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate_check.h"

namespace steward::controllers {
namespace {

constexpr std::string_view kCertificate = ".crt";
constexpr std::string_view kKey = ".key";
constexpr absl::Duration kMaxBackdate = absl::Hours(1);
// The limit of certificates to adopt: the last ones of a bundle, because they are the newest.
constexpr size_t kMaxAdopted = 4;

// The number in "<number>.crt"; 0 = `name` has another form.
int NumberOf(std::string_view name) {
  if (!name.ends_with(kCertificate)) return 0;
  name.remove_suffix(kCertificate.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() && number > 0 ? number : 0;
}

CertificateSpec RootSpec(int number, absl::Duration life, absl::Time now) {
  CertificateSpec spec = AuthoritySpec(StrCat("steward-authority-", number), now);
  spec.not_before = now - Backdate(life);
  spec.not_after = now + life;
  return spec;
}

// When the root was made.
absl::Time MadeAt(const Validity& validity) {
  return validity.begin + std::min(kMaxBackdate, validity.length() / 13);
}

bool IsValid(const Root& root, absl::Time now) { return now < root.validity.end; }

}  // namespace

absl::Duration Backdate(absl::Duration life) { return std::min(kMaxBackdate, life / 12); }

absl::Time DueAt(const Validity& validity) { return validity.end - validity.length() / 3; }

absl::StatusOr<Authority> Authority::Read(const std::map<std::string, std::string>& data) {
  std::map<int, Root> numbered;
  for (const auto& [name, text] : data) {
    const int number = NumberOf(name);
    if (number == 0) continue;
    Root root;
    root.pair.cert_pem = text;
    const auto key = data.find(StrCat(number, kKey));
    if (key != data.end()) root.pair.key_pem = key->second;
    const absl::StatusOr<Validity> validity = ValidityOfPem(text);
    if (!validity.ok()) return absl::DataLossError(StrCat(name, " is no certificate"));
    root.validity = *validity;
    if (!root.pair.key_pem.empty()) {
      CertificateSpec wanted;
      wanted.common_name = StrCat("steward-authority-", number);
      wanted.is_ca = true;
      // Check as of its beginning, because an expired certificate is readable, too.
      const absl::Time begin = std::max(validity->begin, absl::UnixEpoch());
      const absl::Status usable =
          CheckCertificate(root.pair, wanted, nullptr, begin, absl::ZeroDuration());
      if (!usable.ok()) return absl::DataLossError(StrCat(name, ": ", usable.message()));
    }
    numbered.emplace(number, std::move(root));
  }
  Authority authority;
  for (auto& [number, root] : numbered) {
    if (authority.roots_.empty()) authority.first_ = number;
    if (number != authority.first_ + static_cast<int>(authority.roots_.size())) {
      return absl::DataLossError(StrCat("there is no certificate before ", number, kCertificate));
    }
    authority.roots_.push_back(std::move(root));
  }
  return authority;
}

std::map<std::string, std::string> Authority::Write() const {
  std::map<std::string, std::string> data;
  int number = first_;
  for (const Root& root : roots_) {
    data[StrCat(number, kCertificate)] = root.pair.cert_pem;
    if (!root.pair.key_pem.empty()) data[StrCat(number, kKey)] = root.pair.key_pem;
    ++number;
  }
  data["ca.crt"] = Bundle();
  return data;
}

absl::Status Authority::Advance(const AuthorityTerms& terms, absl::Time now,
                                std::string_view trusted, bool spread) {
  if (roots_.empty()) {
    std::vector<std::string> known = SplitCertificates(trusted);
    if (known.size() > kMaxAdopted) known.erase(known.begin(), known.end() - kMaxAdopted);
    for (std::string& pem : known) {
      ASSIGN_OR_RETURN(const Validity validity, ValidityOfPem(pem));
      roots_.push_back({{std::move(pem), ""}, validity});
    }
  }
  // The roots that expire last are at the end, so the numbers have no gaps.
  while (!roots_.empty() && !IsValid(roots_.front(), now)) {
    roots_.erase(roots_.begin());
    ++first_;
  }
  if (roots_.empty() || roots_.back().pair.key_pem.empty() || !IsValid(roots_.back(), now) ||
      now >= DueAt(roots_.back().validity)) {
    RETURN_IF_ERROR(Found(terms, now));
  }
  Choose(terms, now, spread);
  if (!settled_) return absl::OkStatus();
  for (int i = 0; i < signer_; ++i) roots_[i].pair.key_pem.clear();
  return absl::OkStatus();
}

absl::Status Authority::Found(const AuthorityTerms& terms, absl::Time now) {
  const int number = first_ + static_cast<int>(roots_.size());
  const CertificateSpec spec = RootSpec(number, terms.life, now);
  ASSIGN_OR_RETURN(PemKeyPair pair, IssueCertificate(spec));
  // Read the validity back, because certificates have whole seconds.
  ASSIGN_OR_RETURN(const Validity validity, ValidityOfPem(pair.cert_pem));
  roots_.push_back({std::move(pair), validity});
  return absl::OkStatus();
}

void Authority::Choose(const AuthorityTerms& terms, absl::Time now, bool spread) {
  const int newest = static_cast<int>(roots_.size()) - 1;
  // The first root need not wait, because nothing was trusted before it.
  const bool told =
      newest == 0 || (spread && now >= MadeAt(roots_[newest].validity) + terms.overlap);
  signer_ = newest;
  settled_ = told;
  if (told) return;
  for (int i = newest - 1; i >= 0; --i) {
    if (roots_[i].pair.key_pem.empty() || !IsValid(roots_[i], now)) continue;
    signer_ = i;
    settled_ = true;
    return;
  }
}

std::string Authority::Bundle() const {
  std::string bundle;
  for (const Root& root : roots_) bundle += root.pair.cert_pem;
  return bundle;
}

bool Authority::IsIn(std::string_view bundle) const {
  const std::vector<std::string> known = SplitCertificates(bundle);
  return std::all_of(roots_.begin(), roots_.end(), [&known](const Root& root) {
    return std::find(known.begin(), known.end(), root.pair.cert_pem) != known.end();
  });
}

}  // namespace steward::controllers
