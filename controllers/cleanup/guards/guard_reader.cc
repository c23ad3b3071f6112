#include "controllers/cleanup/guards/guard_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "base/async/in_flight.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/recently_deleted_csvs.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/decode.h"
#include "olm/targets.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::Read;

// The result of a GET of the object `name`.
template <typename T, typename Decode>
Read<T> JudgeBy(const absl::StatusOr<kube::RawObject>& answer, const std::string& name,
                Decode decode) {
  if (kube::IsNotFound(answer.status(), name)) return Read<T>::Absent();
  if (!answer.ok()) return Read<T>::Unreadable(Describe(answer.status()));
  absl::StatusOr<T> facts = decode(answer->json);
  if (!facts.ok()) return Read<T>::Unreadable(Describe(facts.status()));
  return Read<T>::Ok(*std::move(facts));
}
template <typename T>
Read<T> Judge(const absl::StatusOr<kube::RawObject>& answer, const std::string& name,
              absl::StatusOr<T> (*decode)(std::string_view)) {
  return JudgeBy<T>(answer, name, decode);
}

template <typename T>
Read<std::vector<T>> JudgeList(const absl::Status& status, std::vector<T> list) {
  if (!status.ok()) return Read<std::vector<T>>::Unreadable(Describe(status));
  return Read<std::vector<T>>::Ok(std::move(list));
}

std::map<std::string, olm::OwnedApi> ApisOf(const olm::CleanupInputs& inputs) {
  std::map<std::string, olm::OwnedApi> apis = inputs.csv->owned_apis;
  if (const std::optional<olm::CleanupRecord> record = olm::RecordOf(inputs)) {
    for (const auto& [name, definition] : record->definitions) {
      if (!definition.is_api()) continue;
      const size_t dot = name.find('.');
      apis.try_emplace(name, olm::OwnedApi{name.substr(dot + 1), name.substr(0, dot),
                                           definition.kind, definition.versions});
    }
  }
  return apis;
}

// True if the APIService's Service is in the operator's namespace and the APIService has the labels
// that OLM writes (R-000-79). The ClusterServiceVersion's own claim to serve the API is no proof.
bool IsServedBy(const kube::NamespacedName& csv, const olm::ApiServiceFacts& service) {
  return service.service_namespace == csv.ns && olm::OwnerOf(service.labels) == csv;
}

// Null when the object is not in the list, or the list could not be read.
const olm::CsvFacts* FindListed(const Read<std::vector<olm::CsvFacts>>& csvs,
                                const kube::NamespacedName& name) {
  if (!csvs.ok()) return nullptr;
  const auto found = std::find_if(csvs->begin(), csvs->end(),
                                  [&name](const olm::CsvFacts& csv) { return csv.key == name; });
  return found == csvs->end() ? nullptr : &*found;
}

}  // namespace

GuardReader::GuardReader(kube::Client& client, CsvLister& csvs, Clock& clock, KnownCsvs known,
                         GuardOptions options)
    : client_(client),
      csvs_(csvs),
      clock_(clock),
      known_(std::move(known)),
      options_(std::move(options)),
      protection_(client, options_.width) {}

boost::asio::awaitable<GuardReading> GuardReader::Look(kube::NamespacedName csv,
                                                       std::optional<olm::CleanupRecord> remembered,
                                                       CsvDetail detail, const CsvAsRead* before) {
  GuardReading reading;
  reading.began = clock_.Monotonic();
  reading.inputs.remembered = std::move(remembered);
  reading.inputs.allow_unprotected = options_.allow_unprotected;
  reading.inputs.without_deployments = options_.without_deployments;
  co_await ReadFirst({std::move(csv), detail, before}, reading);
  if (!reading.inputs.csv.ok()) co_return reading;

  const olm::CsvFacts& facts = *reading.inputs.csv;
  if (options_.deletion_mode) {
    reading.inputs.deletion_mode = options_.deletion_mode(facts.key, facts.uid);
  }
  reading.inputs.departed = WithoutReplaced(std::move(reading.inputs.departed), facts);
  std::vector<Reader> reads;
  const std::map<std::string, olm::OwnedApi> apis = ApisOf(reading.inputs);
  for (const std::string& crd : olm::DefinitionsOf(reading.inputs)) {
    reading.inputs.crds[crd] = Read<olm::CrdFacts>();
    const auto api = apis.find(crd);
    if (api != apis.end()) {
      reads.push_back([this, &reading, &api = api->second] { return ReadApi(api, reading); });
    } else {
      reads.push_back([this, &reading, crd] { return ReadCrd(crd, reading); });
    }
  }
  if (!options_.without_deployments) {
    for (const std::string& deployment : facts.deployments) {
      reading.inputs.deployments[deployment] = Read<olm::DeploymentFacts>();
      reads.push_back([this, &reading, &facts, &deployment] {
        return ReadDeployment({facts.key.ns, deployment}, reading);
      });
    }
  }
  co_await ReadAll(std::move(reads));
  if (options_.observe) options_.observe(clock_.Monotonic() - reading.began);
  co_return reading;
}

VoidTask GuardReader::ReadFirst(Asked csv, GuardReading& reading) {
  const CopyReading copies = copies_protected_ && !options_.allow_unprotected
                                 ? CopyReading::kFollowed
                                 : CopyReading::kListed;
  std::vector<Reader> first;
  first.push_back([this, &reading, &csv, copies] { return ReadOperator(csv, copies, reading); });
  first.push_back([this, &reading] { return ReadCsvDefinition(reading); });
  first.push_back([this, &reading, &csv] { return ReadGroups(csv.name.ns, reading); });
  first.push_back([this, &reading, &csv] { return ReadNamespace(csv.name.ns, reading); });
  first.push_back([this, &reading] { return ReadProtection(reading); });
  co_await ReadAll(std::move(first));
  const olm::Read<olm::ProtectionFacts>& protection = reading.inputs.protection;
  if (protection.unreadable()) co_return;
  copies_protected_ = protection.ok() && protection->copies_protected;
  // Do not read unreadable parts again: the next reading starts afresh.
  const bool again = copies == CopyReading::kFollowed && !copies_protected_;
  if (again && reading.inputs.csvs.ok() && !reading.inputs.csv.unreadable()) {
    co_await ReadOperator(std::move(csv), CopyReading::kListed, reading);
  }
}

VoidTask GuardReader::ReadAll(std::vector<Reader> reads) {
  co_await ForEachInFlight(reads.size(), options_.width, [&reads](size_t i) { return reads[i](); });
}

VoidTask GuardReader::ReadOperator(Asked csv, CopyReading copies, GuardReading& reading) {
  co_await ReadCsvs(csv.name, copies, reading);
  const olm::CsvFacts* listed = FindListed(reading.inputs.csvs, csv.name);
  const auto unchanged = [&csv, listed] {
    return csv.before != nullptr && csv.before->facts.uid == listed->uid &&
           csv.before->facts.resource_version == listed->resource_version;
  };
  if (listed != nullptr && csv.detail == CsvDetail::kFacts) {
    reading.inputs.csv = Read<olm::CsvFacts>::Ok(*listed);
  } else if (listed != nullptr && unchanged()) {
    Take(csv.before->facts, csv.before->json, reading);
  } else {
    co_await ReadCsv(std::move(csv.name), reading);
  }
}

VoidTask GuardReader::ReadCsvs(kube::NamespacedName name, CopyReading copies,
                               GuardReading& reading) {
  absl::StatusOr<CsvListing> listing = co_await csvs_.List(copies);
  if (!listing.ok()) {
    reading.inputs.csvs = Read<std::vector<olm::CsvFacts>>::Unreadable(Describe(listing.status()));
    co_return;
  }
  if (known_) reading.inputs.known = known_(listing->names);
  reading.inputs.departed = std::move(listing->departed);
  reading.lists_copies = listing->copied.contains(name);
  reading.inputs.csvs = Read<std::vector<olm::CsvFacts>>::Ok(std::move(listing->csvs));
}

VoidTask GuardReader::ReadCsv(kube::NamespacedName name, GuardReading& reading) {
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kCsvs, name);
  reading.inputs.csv = JudgeBy<olm::CsvFacts>(raw, name.name, [this](std::string_view json) {
    return olm::DecodeCsvFacts(json, options_.terms);
  });
  if (reading.inputs.csv.ok()) Take(*reading.inputs.csv, raw->json, reading);
}

void GuardReader::Take(olm::CsvFacts facts, std::string_view json, GuardReading& reading) {
  absl::StatusOr<json::value> object = ParseJson(json);
  if (object.ok()) {
    reading.csv = *std::move(object);
    reading.inputs.csv = Read<olm::CsvFacts>::Ok(std::move(facts));
  } else {
    reading.inputs.csv = Read<olm::CsvFacts>::Unreadable(Describe(object.status()));
  }
}

// Lists metadata, because a GET would return several hundred kB that are not needed.
VoidTask GuardReader::ReadCsvDefinition(GuardReading& reading) {
  Read<olm::CsvDefinitionFacts>& definition = reading.inputs.csv_definition;
  if (options_.csvs_built_in) {
    definition = Read<olm::CsvDefinitionFacts>::Ok({});
    co_return;
  }
  const std::string name = kCsvs.GroupResource();
  kube::ListOptions options;
  options.field_selector = StrCat("metadata.name=", name);
  options.metadata_only = true;
  const absl::StatusOr<kube::ListPage> page = co_await client_.List(kCrds, options);
  if (!page.ok()) {
    definition = Read<olm::CsvDefinitionFacts>::Unreadable(Describe(page.status()));
    co_return;
  }
  definition = page->continue_token.empty()
                   ? Read<olm::CsvDefinitionFacts>::Absent()
                   : Read<olm::CsvDefinitionFacts>::Unreadable("the list is not complete");
  for (const kube::RawObject& raw : page->items) {
    absl::StatusOr<olm::CsvDefinitionFacts> facts = olm::DecodeCsvDefinition(raw.json);
    if (!facts.ok()) {
      definition = Read<olm::CsvDefinitionFacts>::Unreadable(Describe(facts.status()));
      co_return;
    }
    if (facts->name == name) definition = Read<olm::CsvDefinitionFacts>::Ok(*std::move(facts));
  }
}

VoidTask GuardReader::ReadNamespace(std::string name, GuardReading& reading) {
  const kube::NamespacedName key{"", name};
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kNamespaces, key);
  reading.inputs.install_namespace = Judge(raw, name, &olm::DecodeInstallNamespace);
}

VoidTask GuardReader::ReadGroups(std::string ns, GuardReading& reading) {
  std::vector<olm::GroupFacts> groups;
  const absl::Status status = co_await ListLive(
      client_, kOperatorGroups, std::move(ns), "", Detail::kWhole,
      [&](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::GroupFacts group, olm::DecodeOperatorGroupFacts(raw.json));
        groups.push_back(std::move(group));
        return absl::OkStatus();
      });
  reading.inputs.groups = JudgeList(status, std::move(groups));
  const bool selects =
      reading.inputs.groups.ok() && reading.inputs.groups->size() == 1 &&
      olm::KindOfTargets(reading.inputs.groups->front().group) == olm::TargetKind::kSelector;
  if (selects) co_await ReadSelected(reading);
}

VoidTask GuardReader::ReadSelected(GuardReading& reading) {
  const olm::OperatorGroup& group = reading.inputs.groups->front().group;
  std::vector<std::string> selected;
  // List only metadata, because there may be thousands of Namespaces.
  const absl::Status status = co_await ListLive(client_, kNamespaces, "", "", Detail::kMetadata,
                                                [&](const kube::RawObject& raw) -> absl::Status {
                                                  ASSIGN_OR_RETURN(const olm::NamespacePtr ns,
                                                                   olm::DecodeNamespace(raw.json));
                                                  if (olm::Targets(group, ns->name, ns->labels))
                                                    selected.push_back(ns->name);
                                                  return absl::OkStatus();
                                                });
  reading.inputs.selected = JudgeList(status, std::move(selected));
}

VoidTask GuardReader::ReadCrd(std::string name, GuardReading& reading) {
  const kube::NamespacedName key{"", name};
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kCrds, key);
  Read<olm::CrdFacts> crd = Judge(raw, name, &olm::DecodeCrdFacts);
  if (crd.ok() && options_.unmanaged_definitions && crd->kept == olm::kUnmanaged) crd->kept = "";
  reading.inputs.crds[name] = std::move(crd);
}

// Unreadable if the APIService is missing, because its API server may still store objects.
VoidTask GuardReader::ReadApi(olm::OwnedApi api, GuardReading& reading) {
  const kube::NamespacedName& own = reading.inputs.csv->key;
  olm::CrdFacts facts;
  facts.name = StrCat(api.plural, ".", api.group);
  facts.group = api.group;
  facts.plural = api.plural;
  facts.kind = api.kind;
  facts.established = true;
  facts.aggregated = true;
  std::string why;
  for (const std::string& version : api.versions) {
    const kube::NamespacedName key{"", StrCat(version, ".", api.group)};
    const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kApiServices, key);
    const Read<olm::ApiServiceFacts> service = Judge(raw, key.name, &olm::DecodeApiServiceFacts);
    if (service.ok() && !service->elsewhere) continue;
    if (service.ok() && !IsServedBy(own, *service)) facts.kept = olm::kServedByAnother;
    if (service.ok() && facts.uid.empty()) facts.uid = service->uid;
    if (service.ok() && !service->deleting) {
      facts.versions.push_back(version);
    } else {
      why = StrCat("APIService ", key.name, ": ",
                   service.unreadable() ? service.why() : "gone or being deleted");
    }
  }
  Read<olm::CrdFacts>& result = reading.inputs.crds[facts.name];
  if (!why.empty()) {
    result = Read<olm::CrdFacts>::Unreadable(std::move(why));
  } else if (facts.versions.empty()) {
    // The kube-apiserver itself serves this API, so it is not of this operator.
    result = Read<olm::CrdFacts>::Absent();
  } else {
    result = Read<olm::CrdFacts>::Ok(std::move(facts));
  }
}

VoidTask GuardReader::ReadDeployment(kube::NamespacedName name, GuardReading& reading) {
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kDeployments, name);
  reading.inputs.deployments[name.name] = Judge(raw, name.name, &olm::DecodeDeploymentFacts);
}

VoidTask GuardReader::ReadProtection(GuardReading& reading) {
  if (options_.allow_unprotected) co_return;
  reading.inputs.protection = co_await protection_.Look();
}

}  // namespace steward::controllers
