#include "controllers/copied_csv/copy_writer.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "olm/copy/content.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using Kind = SlotResult::Kind;

constexpr char kManager[] = "steward-copied-csvs";

// Replaces a member of metadata: a copy takes only labels and annotations from the original's
// metadata.
void Replace(const json::object& from, const char* key, json::object& to) {
  if (const json::value* value = from.if_contains(key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

kube::WriteOptions Options(std::string subresource, kube::SendCheck may_send) {
  kube::WriteOptions options;
  options.subresource = std::move(subresource);
  options.field_manager = kManager;
  options.may_send = std::move(may_send);
  return options;
}

// Names the part of the content in which the two differ.
std::string Difference(const olm::StoredCopy& wanted, const olm::StoredCopy& stored) {
  if (wanted.body != stored.body) return "labels, annotations or spec";
  return "status";
}

}  // namespace

ContentDigest DigestOfCopy(const olm::StoredCopy& copy) {
  return DigestOf(StrCat(copy.body, copy.status));
}

WantedCopy::WantedCopy(const olm::Csv& original)
    : source(original.key.ns),
      json(olm::CopyJson(original, "")),
      content(*olm::ReadStoredCopy(json)),
      digest(DigestOfCopy(content)) {}

struct CopyWriter::Stored {
  json::value object;
  olm::StoredCopy copy;
};

Task<CopyWriter::Stored> CopyWriter::Read(kube::NamespacedName key,
                                          std::optional<kube::RawObject> seen) {
  if (!seen) {
    CO_ASSIGN_OR_RETURN(seen, co_await client_.Get(olm::kCsvs, key));
  }
  Stored stored;
  CO_ASSIGN_OR_RETURN(stored.object, ParseJson(seen->json));
  CO_ASSIGN_OR_RETURN(stored.copy, olm::ReadStoredCopy(seen->json));
  co_return stored;
}

Task<CopyWriter::Stored> CopyWriter::Create(const WantedCopy& wanted, std::string ns,
                                            kube::SendCheck may_send) {
  CO_ASSIGN_OR_RETURN(json::value object, ParseJson(wanted.json));
  object.as_object()["metadata"].as_object()["namespace"] = ns;
  const kube::WriteOptions options = Options("", std::move(may_send));
  Stored stored;
  CO_ASSIGN_OR_RETURN(stored.object, co_await client_.Create(olm::kCsvs, ns, object, options));
  CO_ASSIGN_OR_RETURN(stored.copy, olm::ReadStoredCopy(Serialize(stored.object)));
  co_return stored;
}

Task<CopyWriter::Stored> CopyWriter::Update(const WantedCopy& wanted, Stored stored,
                                            std::string subresource, kube::SendCheck may_send) {
  CO_ASSIGN_OR_RETURN(const json::value want, ParseJson(wanted.json));
  json::object& object = stored.object.as_object();
  if (subresource == "status") {
    Replace(want.get_object(), "status", object);
  } else {
    // Keep owners and finalizers, which others set.
    const json::object& metadata = want.at("metadata").get_object();
    Replace(metadata, "labels", object["metadata"].as_object());
    Replace(metadata, "annotations", object["metadata"].as_object());
    Replace(want.get_object(), "spec", object);
  }
  const kube::WriteOptions options = Options(std::move(subresource), std::move(may_send));
  CO_ASSIGN_OR_RETURN(json::value answer,
                      co_await client_.Update(olm::kCsvs, stored.object, options));
  stored.object = std::move(answer);
  CO_ASSIGN_OR_RETURN(stored.copy, olm::ReadStoredCopy(Serialize(stored.object)));
  co_return stored;
}

Task<SlotResult> CopyWriter::Write(const WantedCopy& wanted, std::string ns, SlotBelief belief,
                                   kube::SendCheck may_send) {
  const kube::NamespacedName key{ns, wanted.content.key.name};
  SlotResult result{Kind::kRight, "", ""};
  Stored stored;
  if (belief.absent) {
    absl::StatusOr<Stored> created = co_await Create(wanted, ns, may_send);
    if (created.ok()) {
      stored = *std::move(created);
      result.kind = Kind::kCreated;
    } else if (!kube::IsAlreadyExists(created.status())) {
      co_return created.status();
    }
  }
  if (result.kind != Kind::kCreated) {
    absl::StatusOr<Stored> read = co_await Read(key, std::move(belief.seen));
    if (kube::IsNotFound(read.status(), key.name)) {
      co_return SlotResult{Kind::kStale, "it is not there any more", ""};
    }
    CO_ASSIGN_OR_RETURN(stored, std::move(read));
    result.uid = stored.copy.uid;
    if (!olm::MayOverwrite(stored.copy, wanted.source)) {
      result.kind = Kind::kNotACopy;
      result.detail = "an object of this name is there that is not proven to be a copy";
      co_return result;
    }
    if (stored.copy.deleting) {
      result.kind = Kind::kHeld;
      result.detail = "the copy is being deleted, and something holds it";
      co_return result;
    }
    if (stored.copy.SameContent(wanted.content)) co_return result;
    result.kind = Kind::kUpdated;
  }
  result.uid = stored.copy.uid;
  if (stored.copy.body != wanted.content.body) {
    CO_ASSIGN_OR_RETURN(stored, co_await Update(wanted, std::move(stored), "", may_send));
  }
  if (stored.copy.status != wanted.content.status) {
    CO_ASSIGN_OR_RETURN(stored, co_await Update(wanted, std::move(stored), "status", may_send));
  }
  if (!stored.copy.SameContent(wanted.content)) {
    result.kind = Kind::kNotKept;
    result.detail = StrCat(
        "the server does not keep what is written: ", Difference(wanted.content, stored.copy),
        " differ in its answer; is there a webhook that changes them?");
  }
  co_return result;
}

Task<SlotResult> CopyWriter::Remove(std::string name, olm::NamespacePtr ns, SlotBelief belief,
                                    SourceProofs& proofs, kube::SendCheck may_send) {
  const kube::NamespacedName key{ns->name, name};
  absl::StatusOr<Stored> read = co_await Read(key, std::move(belief.seen));
  if (kube::IsNotFound(read.status(), name)) co_return SlotResult{Kind::kRight, "", ""};
  CO_ASSIGN_OR_RETURN(const Stored stored, std::move(read));
  const olm::StoredCopy& copy = stored.copy;
  if (!olm::IsProvenCopy(copy)) {
    co_return SlotResult{Kind::kNotACopy,
                         "an object with the label of a copy is not proven to be one", copy.uid};
  }
  if (copy.deleting) co_return SlotResult{Kind::kHeld, "", copy.uid};
  CO_ASSIGN_OR_RETURN(SourceProofs::Verdict verdict, co_await proofs.Judge(*copy.copied_from, ns));
  if (!verdict.unwanted) {
    co_return SlotResult{Kind::kStale, "the original may still want it", copy.uid};
  }
  kube::DeleteOptions options;
  options.uid = copy.uid;
  options.resource_version = copy.resource_version;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  options.may_send = [may_send = std::move(may_send), good = std::move(verdict.still_good)] {
    const absl::Status sendable = kube::MaySend(may_send);
    return sendable.ok() ? good() : sendable;
  };
  const absl::Status deleted = (co_await client_.Delete(olm::kCsvs, key, options)).status();
  if (!deleted.ok() && !kube::IsNotFound(deleted, name)) co_return deleted;
  co_return SlotResult{Kind::kDeleted, "", copy.uid};
}

}  // namespace steward::controllers
