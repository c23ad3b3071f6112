#include "controllers/certificates/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <prometheus/registry.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "base/tls/openssl_ptr.h"
#include "controllers/certificates/wanted_certificates.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using kube::FakeClient;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kube::NamespacedName kServing = {"steward-system", "steward-apiserver-cert"};
const kube::NamespacedName kKept = {"steward-system", "steward-authority"};
constexpr char kApi[] = "v1alpha1.views.operators.coreos.com";

class TestEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType, std::string_view reason,
              std::string_view) override {
    events.push_back(StrCat(reason, " ", about.name.name));
  }
  std::vector<std::string> events;
};

using Texts = std::map<std::string, std::string>;

// A chain of one, by OpenSSL alone.
bool Verifies(const std::string& cert_pem, const std::string& bundle, absl::Time now) {
  const std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>> store(X509_STORE_new());
  const BioPtr in = ReadBio(bundle);
  while (const X509Ptr root{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store.get(), root.get());
  }
  const X509Ptr cert(PEM_read_bio_X509(ReadBio(cert_pem).get(), nullptr, nullptr, nullptr));
  if (cert == nullptr) return false;
  const std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>> context(
      X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), cert.get(), nullptr);
  X509_STORE_CTX_set_time(context.get(), 0, absl::ToTimeT(now));
  return X509_verify_cert(context.get()) == 1;
}

class CertificatesTest : public ::testing::Test {
 protected:
  CertificatesTest() {
    cluster_.Serve(kube::kSecrets);
    cluster_.Serve(kube::kApiServices);
    PutApi("{}");
    terms_.life = absl::Hours(24);
    terms_.authority = {absl::Hours(24 * 6), absl::Minutes(10)};
    hook_.process = &io_;
    hook_.decide = [this](const kube::HookedCall& call) {
      if (call.writes()) writes_.push_back(call.name.name);
      return kube::HookedFate();
    };
  }
  ~CertificatesTest() override { RunOn(io_, watches_.Stop()); }

  void PutApi(const std::string& annotations) {
    cluster_.Put(kube::kApiServices,
                 StrCat(R"({"metadata":{"name":")", kApi, R"(","annotations":)", annotations,
                        R"(},"spec":{"group":"views.operators.coreos.com"}})"));
  }
  absl::StatusOr<ReconcileResult> Pass() {
    if (reconciler_ == nullptr) NextTerm();
    return RunOn(io_, reconciler_->Reconcile({"", "certificates"}));
  }
  // Makes a new reconciler, as another process would.
  void NextTerm() {
    reconciler_ = std::make_unique<CertificatesReconciler>(
        ReconcilerDeps{client_, leadership_, worlds_, watches_, events_, clock_, random_, registry_,
                       gates_},
        metrics_, terms_);
  }
  Texts Data(const kube::NamespacedName& name) {
    Texts texts;
    const auto objects = cluster_.Objects(kube::kSecrets);
    const auto found = objects.find(name);
    if (found == objects.end()) return texts;
    const json::value secret = json::parse(found->second);
    for (const auto& [key, value] : secret.at("data").as_object()) {
      absl::Base64Unescape(value.as_string().c_str(), &texts[std::string(key)]);
    }
    return texts;
  }
  std::string CaBundle() {
    const json::value api = json::parse(cluster_.Objects(kube::kApiServices).at({"", kApi}));
    const json::value* bundle = api.at("spec").as_object().if_contains("caBundle");
    std::string text;
    if (bundle != nullptr) absl::Base64Unescape(bundle->as_string().c_str(), &text);
    return text;
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  FakeClient cluster_;
  kube::Hook hook_;
  kube::HookClient client_{cluster_, hook_};
  prometheus::Registry registry_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  MetadataWatches watches_{client_, clock_, random_, io_.get_executor()};
  TestLeadership leadership_;
  TestEvents events_;
  FeatureGates gates_ = FeatureGates({});
  CertificateMetrics metrics_{registry_};
  CertificateTerms terms_;
  std::unique_ptr<CertificatesReconciler> reconciler_;
  std::vector<std::string> writes_;
};

TEST_F(CertificatesTest, MakesAll) {
  ASSERT_OK_AND_ASSIGN(const ReconcileResult result, Pass());
  EXPECT_EQ(result.requeue_after, absl::Minutes(1));
  ASSERT_THAT(cluster_.Objects(kube::kSecrets), SizeIs(13));
  // Trust comes before what is to be trusted.
  ASSERT_THAT(writes_, SizeIs(14));
  EXPECT_EQ(writes_[0], kKept.name);
  EXPECT_EQ(writes_[1], kApi);
  EXPECT_TRUE(Verifies(Data(kServing)["tls.crt"], CaBundle(), clock_.Now()));
  EXPECT_FALSE(Verifies(Data(kServing)["tls.crt"], CaBundle(), clock_.Now() + absl::Hours(25)));
  for (const WantedCertificate& wanted : WantedCertificates("steward-system")) {
    Texts data = Data({"steward-system", wanted.secret});
    EXPECT_EQ(data["ca.crt"], CaBundle()) << wanted.secret;
    EXPECT_TRUE(Verifies(data["tls.crt"], data["ca.crt"], clock_.Now())) << wanted.secret;
  }
  writes_.clear();
  clock_.Advance(absl::Hours(15));
  ASSERT_OK(Pass());
  NextTerm();
  ASSERT_OK(Pass());
  EXPECT_THAT(writes_, IsEmpty()) << "nothing is due";
}

TEST_F(CertificatesTest, RenewsAtTwoThirds) {
  ASSERT_OK(Pass());
  const std::string before = Data(kServing)["tls.key"];
  clock_.Advance(absl::Hours(17));
  ASSERT_OK(Pass());
  EXPECT_NE(Data(kServing)["tls.key"], before);
  EXPECT_TRUE(Verifies(Data(kServing)["tls.crt"], CaBundle(), clock_.Now() + absl::Hours(23)));
}

TEST_F(CertificatesTest, MendsWhatIsMissingOrBad) {
  ASSERT_OK(Pass());
  const std::string bundle = CaBundle();
  cluster_.Delete(kube::kSecrets, kServing);
  PutApi("{}");
  Texts grpc = Data({"steward-system", "steward-apiserver-grpc"});
  cluster_.Put(kube::kSecrets,
               R"({"metadata":{"namespace":"steward-system","name":"steward-apiserver-grpc",
      "labels":{"app.kubernetes.io/managed-by":"steward-certificates"}},"data":{"tls.crt":"eA==","more":"eA=="}})");
  ASSERT_OK(Pass());
  EXPECT_EQ(CaBundle(), bundle);
  EXPECT_TRUE(Verifies(Data(kServing)["tls.crt"], bundle, clock_.Now()));
  grpc = Data({"steward-system", "steward-apiserver-grpc"});
  EXPECT_TRUE(Verifies(grpc["tls.crt"], grpc["ca.crt"], clock_.Now()));
  EXPECT_EQ(grpc["more"], "x") << "what others add is left";
}

TEST_F(CertificatesTest, LeavesForeignSecretsAlone) {
  const struct {
    const char* what;
    const char* metadata;
  } rows[] = {
      {"without our mark", R"({})"},
      {"cert-manager's",
       R"({"labels":{"app.kubernetes.io/managed-by":"steward-certificates"},
           "annotations":{"cert-manager.io/certificate-name":"x"}})"},
      {"OpenShift's",
       R"({"labels":{"app.kubernetes.io/managed-by":"steward-certificates"},
           "annotations":{"service.beta.openshift.io/originating-service-name":"x"}})"},
      {"owned",
       R"({"labels":{"app.kubernetes.io/managed-by":"steward-certificates"},
           "ownerReferences":[{"name":"x"}]})"},
  };
  for (const auto& row : rows) {
    json::object metadata = json::parse(row.metadata).as_object();
    metadata["namespace"] = kServing.ns;
    metadata["name"] = kServing.name;
    const json::object secret = {{"metadata", metadata}, {"data", {{"tls.crt", "eA=="}}}};
    cluster_.Put(kube::kSecrets, Serialize(json::value(secret)));
    ASSERT_OK(Pass());
    EXPECT_EQ(Data(kServing), (Texts{{"tls.crt", "x"}})) << row.what;
    EXPECT_EQ(CaBundle(), "") << row.what << ": the trust in it is not ours either";
    EXPECT_THAT(cluster_.Objects(kube::kSecrets), SizeIs(13)) << "the others are made";
    EXPECT_THAT(events_.events, Contains("ForeignSecret steward-apiserver-cert"));
    cluster_.Delete(kube::kSecrets, kServing);
  }
}

TEST_F(CertificatesTest, AnInjectedBundleIsLeftAlone) {
  PutApi(R"({"cert-manager.io/inject-ca-from":"steward-system/x"})");
  ASSERT_OK(Pass());
  EXPECT_EQ(CaBundle(), "");
  EXPECT_THAT(Data(kServing), IsEmpty()) << "whoever injects it makes the certificate";
  EXPECT_THAT(cluster_.Objects(kube::kSecrets), SizeIs(12));
}

// The APIService is registered once an API server answers, for which that needs its certificate.
TEST_F(CertificatesTest, TheServingCertificateComesBeforeTheAPIService) {
  cluster_.Delete(kube::kApiServices, {"", kApi});
  ASSERT_OK(Pass());
  const std::string serving = Data(kServing)["tls.crt"];
  EXPECT_TRUE(Verifies(serving, Data(kServing)["ca.crt"], clock_.Now()));
  PutApi("{}");
  ASSERT_OK(Pass());
  EXPECT_TRUE(Verifies(serving, CaBundle(), clock_.Now()));
  EXPECT_EQ(Data(kServing)["tls.crt"], serving);
}

TEST_F(CertificatesTest, SomebodyElseServes) {
  terms_.serving = false;
  ASSERT_OK(Pass());
  EXPECT_EQ(CaBundle(), "");
  EXPECT_THAT(cluster_.Objects(kube::kSecrets), SizeIs(12)) << "the others are made";
  cluster_.Delete(kube::kApiServices, {"", kApi});
  ASSERT_OK(Pass());
  EXPECT_THAT(Data(kServing), IsEmpty());
}

TEST_F(CertificatesTest, AnAuthorityThatCannotBeReadIsKept) {
  ASSERT_OK(Pass());
  const std::string serving = Data(kServing)["tls.crt"];
  const struct {
    const char* what;
    const char* labels;
    const char* event;
  } rows[] = {
      {"damaged", R"({"app.kubernetes.io/managed-by":"steward-certificates"})",
       "AuthorityUnreadable steward-authority"},
      {"foreign", "{}", "ForeignAuthority steward-authority"},
  };
  for (const auto& row : rows) {
    cluster_.Put(kube::kSecrets,
                 StrCat(R"({"metadata":{"namespace":"steward-system","name":")", kKept.name,
                        R"(","labels":)", row.labels, R"(},"data":{"1.crt":"eA=="}})"));
    writes_.clear();
    events_.events.clear();
    ASSERT_OK(Pass());
    ASSERT_OK(Pass());
    EXPECT_THAT(writes_, IsEmpty()) << row.what;
    EXPECT_THAT(events_.events, ElementsAre(row.event)) << "once";
  }
  // Certificates of the old authority stay trusted when a new one is founded.
  cluster_.Delete(kube::kSecrets, kKept);
  ASSERT_OK(Pass());
  EXPECT_EQ(Data(kServing)["tls.crt"], serving);
  EXPECT_TRUE(Verifies(serving, CaBundle(), clock_.Now()));
  clock_.Advance(absl::Minutes(11));
  ASSERT_OK(Pass());
  EXPECT_NE(Data(kServing)["tls.crt"], serving);
}

TEST_F(CertificatesTest, AnotherWriterWins) {
  ASSERT_OK(Pass());
  clock_.Advance(absl::Hours(17));
  cluster_.FailNext(FakeClient::Verb::kPatch, kube::kSecrets,
                    kube::ToStatus(kube::Conflict(kube::kSecrets, kServing.name, "changed")));
  ASSERT_OK_AND_ASSIGN(const ReconcileResult result, Pass());
  EXPECT_EQ(result.requeue_after, absl::Seconds(1));
  cluster_.FailNext(FakeClient::Verb::kGet, kube::kSecrets, absl::UnavailableError("away"));
  EXPECT_FALSE(Pass().ok());
  ASSERT_OK(Pass());
  EXPECT_TRUE(Verifies(Data(kServing)["tls.crt"], CaBundle(), clock_.Now() + absl::Hours(20)));
}

// Killed before and after each write: another process ends with the same.
TEST_F(CertificatesTest, SurvivesItsEndAnywhere) {
  for (const bool after : {false, true}) {
    for (int n = 0; n < 15; ++n) {
      FakeClient cluster;
      cluster.Serve(kube::kSecrets);
      cluster.Serve(kube::kApiServices);
      cluster.Put(kube::kApiServices, StrCat(R"({"metadata":{"name":")", kApi, R"("},"spec":{}})"));
      int writes = 0;
      // Returns whether the pass came to its end.
      const auto run = [&](int die_at) {
        auto io = std::make_unique<boost::asio::io_context>(1);
        kube::Hook hook;
        hook.process = io.get();
        hook.decide = [&](const kube::HookedCall& call) {
          kube::HookedFate fate;
          if (call.writes() && writes++ == die_at)
            fate.kind = after ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
          return fate;
        };
        kube::HookClient client(cluster, hook);
        CertificatesReconciler reconciler(
            ReconcilerDeps{client, leadership_, worlds_, watches_, events_, clock_, random_,
                           registry_, gates_},
            metrics_, terms_);
        bool ended = false;
        boost::asio::co_spawn(
            *io, reconciler.Reconcile({"", "certificates"}),
            [&ended](std::exception_ptr, const absl::StatusOr<ReconcileResult>& result) {
              ended = result.ok();
            });
        io->run();
        io.reset();
        return ended;
      };
      EXPECT_EQ(run(n), n >= 14) << n;
      EXPECT_TRUE(run(-1)) << n;
      EXPECT_THAT(cluster.Objects(kube::kSecrets), SizeIs(13));
    }
  }
}

// Readers learn of what they read up to an overlap later, each at a time of its own: whatever a
// server shows, every client trusts it, through many renewals of certificates and roots.
TEST_F(CertificatesTest, NoReaderIsEverLeftWithoutTrust) {
  struct Reader {
    Texts now;
    std::deque<std::pair<absl::Time, Texts>> coming;
  };
  std::mt19937 random(1);
  const absl::Duration step = absl::Minutes(10);
  terms_.life = absl::Hours(4);
  terms_.authority = {absl::Hours(24), absl::Minutes(30)};
  std::map<std::string, Reader> readers;
  int roots = 0;
  std::string last_bundle;
  for (int i = 0; i < 2 * 24 * 6; ++i) {
    ASSERT_OK(Pass());
    const std::string bundle = CaBundle();
    roots += bundle != last_bundle ? 1 : 0;
    last_bundle = bundle;
    const bool changed = !writes_.empty() || i == 0;
    if (changed) {
      for (const WantedCertificate& wanted : WantedCertificates("steward-system")) {
        Reader& reader = readers[wanted.secret];
        const absl::Time at = clock_.Now() + absl::Seconds(random() % 1790);
        Texts data = Data({"steward-system", wanted.secret});
        if (i == 0) {
          reader.now = std::move(data);
        } else {
          reader.coming.emplace_back(at, std::move(data));
        }
      }
    }
    bool learned = false;
    for (auto& [name, reader] : readers) {
      while (!reader.coming.empty() && reader.coming.front().first <= clock_.Now()) {
        reader.now = std::move(reader.coming.front().second);
        reader.coming.pop_front();
        learned = true;
      }
    }
    if (changed || learned || i % 20 == 0) {
      ASSERT_TRUE(Verifies(readers[kServing.name].now["tls.crt"], bundle, clock_.Now())) << i;
      for (const char* server : {"steward-controllers-grpc", "steward-copied-csvs-grpc"}) {
        Reader& client = readers["steward-apiserver-grpc"];
        ASSERT_TRUE(Verifies(readers[server].now["tls.crt"], client.now["ca.crt"], clock_.Now()))
            << i;
        ASSERT_TRUE(Verifies(client.now["tls.crt"], readers[server].now["ca.crt"], clock_.Now()))
            << i;
      }
    }
    writes_.clear();
    if (random() % 10 == 0) NextTerm();
    clock_.Advance(step);
  }
  EXPECT_GE(roots, 5) << "roots followed each other";
}

}  // namespace
}  // namespace steward::controllers
