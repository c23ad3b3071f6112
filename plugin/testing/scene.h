// An operator in a cluster in memory, the controllers that clean up after it, and a user at a
// terminal, for tests. Not thread-safe.
#ifndef PLUGIN_TESTING_SCENE_H_
#define PLUGIN_TESTING_SCENE_H_

#include <stdlib.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

inline const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};  // namespaced
inline const kube::GroupVersionResource kGadgets = {"example.com", "v1", "gadgets"};  // cluster
inline const kube::NamespacedName kCsv = {"ops", "widget.v1"};

// A clock that advances only in Sleep, and then calls `on_sleep`.
class StepClock : public Clock {
 public:
  absl::Time Now() const override { return absl::FromUnixSeconds(1'700'000'000) + passed_; }
  absl::Duration Monotonic() const override { return passed_; }
  VoidTask Sleep(absl::Duration duration) override {
    passed_ += duration;
    if (on_sleep) on_sleep();
    co_return;
  }
  // No test needs an alarm.
  std::unique_ptr<Alarm> After(const boost::asio::any_io_executor&, absl::Duration,
                               std::function<void()>) override {
    return nullptr;
  }

  std::function<void()> on_sleep;

 private:
  absl::Duration passed_;
};

// A temporary folder, which is removed with this object.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "steward-plugin-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) abort();
    path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A scene with namespaced widgets and cluster-scoped gadgets of an operator that works in "a" and
// "b".
class TestScene {
 public:
  TestScene();

  Session session();
  // Runs a command, and returns its result.
  absl::Status Run(StatusTask task) { return RunOn(io_, std::move(task)); }
  template <typename T>
  absl::StatusOr<T> Run(Task<T> task) {
    return RunOn(io_, std::move(task));
  }

  // --- The cluster.
  // The policy about opting in, and its binding.
  void PutOptInPolicy();
  void PutCsv(const std::string& finalizers, bool enabled, const std::string& conditions = "");
  // Puts a CleanupStatus of the virtual API.
  void PutView(const std::string& phase, bool opted_in, const std::string& targets = R"(["a","b"])",
               const std::string& blockers = "");
  void PutWidget(const std::string& ns, const std::string& name, const std::string& more = "");
  void PutGadget(const std::string& name);
  void PutSubscription(const std::string& name, const std::string& spec, const std::string& status);
  void PutInstallPlan(const std::string& name, const std::string& csv, const std::string& phase);

  boost::json::value Object(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) const;
  bool Has(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) const;
  std::vector<std::string> Names(const kube::GroupVersionResource& gvr) const;
  bool HasFinalizer(const std::string& finalizer) const;
  bool CsvIsDeleting() const;
  // Makes the operator own more: adds `entry` to a list of its spec ("customresourcedefinitions").
  void Own(const std::string& list, const std::string& entry);

  // Plays the controllers' next step: takes up an opt-in, deletes one custom resource, or releases
  // the operator.
  void ControllersStep();

  kube::FakeClient fake;
  StepClock clock;
  kube::HookClient client{fake, clock};
  boost::json::object document;
  std::string screen;               // all that was written
  std::string answer;               // of that: all but notes, progress and questions
  std::deque<std::string> answers;  // what somebody types
  std::function<void()> on_ask;     // called while a question waits; may be null
  bool can_ask = true;
  bool live = false;
  bool yes = false;
  // The answer of the virtual API to an opt-in.
  std::string phase_when_opted_in = "Ready";
  std::string blockers_when_opted_in;
  bool holds_rights = true;

 private:
  void LetGo();

  boost::asio::io_context io_{1};
  std::optional<Terminal> terminal_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_TESTING_SCENE_H_
