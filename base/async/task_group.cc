#include "base/async/task_group.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <exception>
#include <list>
#include <utility>

#include "base/log/log.h"

namespace steward {
namespace asio = boost::asio;

struct TaskGroup::Ref::Entry {
  std::string name;
  asio::cancellation_signal cancel;
};

struct TaskGroup::State {
  explicit State(asio::any_io_executor e) : executor(std::move(e)), idle(executor) {}

  asio::any_io_executor executor;
  std::list<std::shared_ptr<Ref::Entry>> entries;
  asio::steady_timer idle;  // cancelled when the last task ends
  bool stopping = false;
};

namespace {

// Ends the process, with the reason, when a task ended neither by a return nor by a cancellation.
void ExpectCleanEnd(const std::string& name, const std::exception_ptr& exception) {
  if (!exception) return;
  std::string what = "not a std::exception";
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& e) {
    if (e.code() == asio::error::operation_aborted) return;
    what = e.what();
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  log::Error("A task ended by an exception", {{"task", name}, {"exception", what}});
  std::abort();
}

}  // namespace

TaskGroup::TaskGroup(asio::any_io_executor executor)
    : state_(std::make_shared<State>(std::move(executor))) {}

TaskGroup::~TaskGroup() {
  if (state_->entries.empty()) return;
  log::Error("TaskGroup destroyed before it was stopped",
             {{"task", state_->entries.front()->name}, {"tasks", state_->entries.size()}});
  std::abort();
}

void TaskGroup::Ref::Cancel() const {
  if (auto entry = entry_.lock()) entry->cancel.emit(asio::cancellation_type::terminal);
}

TaskGroup::Ref TaskGroup::Spawn(std::string name, VoidTask task) {
  if (state_->stopping) return Ref();
  auto entry = std::make_shared<Ref::Entry>();
  entry->name = std::move(name);
  auto place = state_->entries.insert(state_->entries.end(), entry);
  asio::co_spawn(state_->executor, std::move(task),
                 asio::bind_cancellation_slot(
                     entry->cancel.slot(), [state = state_, place](std::exception_ptr exception) {
                       ExpectCleanEnd((*place)->name, exception);
                       state->entries.erase(place);
                       if (state->entries.empty()) state->idle.cancel();
                     }));
  return Ref(entry);
}

size_t TaskGroup::size() const { return state_->entries.size(); }

VoidTask TaskGroup::Stop() {
  auto state = state_;
  state->stopping = true;
  // Emitting can end a task at once and remove its entry, so each iterator moves on first.
  for (auto it = state->entries.begin(); it != state->entries.end();) {
    const std::shared_ptr<Ref::Entry> entry = *it++;
    entry->cancel.emit(asio::cancellation_type::terminal);
  }
  while (!state->entries.empty()) {
    state->idle.expires_at(asio::steady_timer::time_point::max());
    boost::system::error_code ignored;
    co_await state->idle.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

}  // namespace steward
