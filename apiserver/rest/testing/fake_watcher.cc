#include "apiserver/rest/testing/fake_watcher.h"

#include "base/async/yield.h"

namespace steward::rest {

class FakeWatcher::Stream : public EventStream {
 public:
  Stream(FakeWatcher& watcher, const StopSignal* stop) : watcher_(watcher), stop_(stop) {
    ++watcher_.streams_;
  }
  ~Stream() override { --watcher_.streams_; }

  Task<std::optional<WatchEvent>> Next() override {
    ++watcher_.asked_;
    if (next_ == watcher_.script_.size()) {
      static const StopSignal* const kNever = new StopSignal;
      const StopSignal& stop = stop_ == nullptr ? *kNever : *stop_;
      co_await stop.Wait();
      co_return std::nullopt;
    }
    const Step& step = watcher_.script_[next_++];
    if (!step.at_hand) co_await Yield();
    if (!step.error.ok()) co_return step.error;
    co_return step.event;
  }

  bool Ready() const override {
    return next_ < watcher_.script_.size() && watcher_.script_[next_].at_hand;
  }

 private:
  FakeWatcher& watcher_;
  const StopSignal* const stop_;
  size_t next_ = 0;
};

FakeWatcher::Step& FakeWatcher::Event(WatchEvent::Type type, FakeObject object,
                                      std::string resource_version) {
  Step& step = script_.emplace_back();
  step.object.emplace(std::move(object));
  step.event.emplace();
  step.event->type = type;
  step.event->object = &*step.object;
  step.event->resource_version = std::move(resource_version);
  return step;
}

FakeWatcher::Step& FakeWatcher::Bookmark(std::string resource_version, bool initial_events_end) {
  Step& step = script_.emplace_back();
  step.event.emplace();
  step.event->type = WatchEvent::Type::kBookmark;
  step.event->resource_version = std::move(resource_version);
  step.event->initial_events_end = initial_events_end;
  return step;
}

FakeWatcher::Step& FakeWatcher::Error(absl::Status error) {
  Step& step = script_.emplace_back();
  step.error = std::move(error);
  return step;
}

FakeWatcher::Step& FakeWatcher::End() { return script_.emplace_back(); }

Task<std::unique_ptr<EventStream>> FakeWatcher::Watch(const Selection& selection,
                                                      const WatchOptions& options) {
  ++calls_;
  last_selection_ = selection;
  last_options_ = options;
  if (!failure_.ok()) co_return failure_;
  co_return std::make_unique<Stream>(*this, options.stop);
}

}  // namespace steward::rest
