#include "controllers/runtime/testing/sample_reconciler.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/async/task.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

struct SampleFlags {
  std::string greeting = "hello";
};

bool Says(const json::value& object, const std::string& greeting) {
  const json::object* spec = object.is_object() ? ObjectAt(object.get_object(), "spec") : nullptr;
  return spec != nullptr && StringAt(*spec, "greeting") == greeting;
}

class SampleReconciler : public Reconciler {
 public:
  SampleReconciler(const ReconcilerDeps& deps, std::string greeting)
      : client_(deps.client), clock_(deps.clock), greeting_(std::move(greeting)) {}

  VoidTask Feed(WorkQueue& queue) override {
    queue.Add(kSample);
    while (true) co_await clock_.Sleep(absl::Hours(1));
  }

  Task<ReconcileResult> Reconcile(Key key) override {
    CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client_.Get(kSamples, key));
    CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw.json));
    if (Says(object, greeting_)) co_return ReconcileResult::Done();
    const json::value patch = json::object{{"spec", json::object{{"greeting", greeting_}}}};
    const kube::WriteOptions options;
    const auto written =
        co_await client_.Patch(kSamples, key, kube::PatchType::kJsonMerge, patch, options);
    CO_RETURN_IF_ERROR(written.status());
    co_return ReconcileResult::Done();
  }

 private:
  kube::Client& client_;
  Clock& clock_;
  const std::string greeting_;
};

}  // namespace

KnownReconciler KnownSample() {
  KnownReconciler known;
  known.options.name = "sample";
  known.family = {"samples", "steward-samples"};
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.add_flags = [](FlagAdder& flags, FlagValues& values) {
    flags.Text("--sample-greeting", values.Of<SampleFlags>().greeting, "What samples say");
  };
  known.check_flags = [](const FlagValues& values, bool) -> absl::Status {
    if (!values.Get<SampleFlags>().greeting.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("--sample-greeting: must not be empty");
  };
  known.prepare = [](const FlagValues& values, prometheus::Registry&) -> ReconcilerFactory {
    return [greeting = values.Get<SampleFlags>().greeting](const ReconcilerDeps& deps) {
      return std::make_unique<SampleReconciler>(deps, greeting);
    };
  };
  return known;
}

}  // namespace steward::controllers
