#include "apiserver/views/virtual_resource/map_projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/tombstone.h"
#include "base/async/run.h"
#include "base/splice/rope.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "storage/world/testing/lamp_world.h"
#include "storage/world/touched.h"
#include "storage/world/world.h"
#include "storage/world/world_writer.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A value with a colour.
struct Paint {
  kube::NamespacedName key;
  std::string uid;
  kube::LabelMap labels;
  bool operator==(const Paint&) const = default;
};

class PaintObject : public rest::Object {
 public:
  explicit PaintObject(std::shared_ptr<const Paint> paint) : paint_(std::move(paint)) {}
  std::string_view ns() const override { return paint_->key.ns; }
  std::string_view name() const override { return paint_->key.name; }
  void AppendJson(std::string_view, Rope&) const override {}
  void AppendMetadata(std::string_view, Rope&) const override {}
  void AppendCells(std::string& out) const override { out += paint_->uid; }

 private:
  std::shared_ptr<const Paint> paint_;
};

struct PaintEncoder {
  using Object = PaintObject;
  static const kube::LabelMap& LabelsOf(const Paint& paint) { return paint.labels; }
  static const std::string& UidOf(const Paint& paint) { return paint.uid; }
  PaintObject Encode(std::shared_ptr<const Paint> paint) const {
    return PaintObject(std::move(paint));
  }
  std::unique_ptr<const rest::Object> Tombstone(kube::NamespacedName key) const {
    return std::make_unique<views::Tombstone>("", 1, std::move(key));
  }
};

// A projection for which a test sets each World's map.
class Paints : public MapProjection<Paint, PaintEncoder> {
 public:
  Paints() : MapProjection(PaintEncoder()) {}
  const storage::SourceSet& sources() const override { return storage::kLampSources; }
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window, const rest::Selection&) const override {
    co_return std::nullopt;
  }

  // Puts the object "ns/name" with a UID and a colour.
  void Put(const storage::WorldPtr& world, const std::string& ns, const std::string& name,
           const std::string& uid = "u", const std::string& colour = "red") {
    auto map = std::make_shared<Map>(*MapOf(world));
    (*map)[{ns, name}] =
        std::make_shared<Paint>(Paint{{ns, name}, uid, kube::LabelMap{{"colour", colour}}});
    maps_[world.get()] = std::move(map);
  }

 private:
  MapPtr MapOf(const storage::WorldPtr& world) const override {
    const auto found = maps_.find(world.get());
    return found == maps_.end() ? std::make_shared<Map>() : found->second;
  }
  std::map<const storage::World*, MapPtr> maps_;
};

class MapProjectionTest : public ::testing::Test {
 protected:
  // A World at a revision of its own.
  storage::WorldPtr Next() {
    ++revision_;
    writer_.Put(storage::kRoomSource,
                std::make_shared<storage::Room>(storage::Room{{"", StrCat("r", revision_)}}),
                revision_);
    return writer_.Snapshot();
  }
  static rest::Selection Select(const std::string& ns, const char* labels = "",
                                const char* fields = "") {
    rest::Selection selection;
    selection.ns = ns;
    selection.labels = *kube::LabelSelector::Parse(labels);
    selection.fields = *kube::FieldSelector::Parse(fields);
    return selection;
  }
  std::vector<std::string> List(const rest::Selection& selection,
                                std::optional<kube::NamespacedName> after = {}) {
    const auto cursor = paints_.List(then_, selection, std::move(after));
    std::vector<std::string> names;
    do {
      while (const rest::Object* object = cursor->Next()) {
        names.push_back(StrCat(object->ns(), "/", object->name()));
      }
    } while (*RunOn(io_, cursor->More()));
    return names;
  }
  // The events between the two Worlds, as "ADDED a/x u".
  std::vector<std::string> Events(const rest::Selection& selection,
                                  std::set<kube::NamespacedName> again = {}) {
    Span span{then_, now_, storage::TouchedBetween(*now_, then_->Vector(), now_->Vector()),
              std::move(again)};
    const auto difference = paints_.Compare(std::move(span), selection);
    std::vector<std::string> events;
    while (true) {
      std::optional<ViewEvent> event = difference->Next();
      if (!event.has_value() && difference->done()) return events;
      if (!event.has_value()) continue;
      static constexpr const char* kTypes[] = {"ADDED", "MODIFIED", "DELETED"};
      std::string cells;
      event->object->AppendCells(cells);
      events.push_back(StrCat(kTypes[static_cast<int>(event->type)], " ", event->key.ns, "/",
                              event->key.name, " ", cells));
    }
  }

  Paints paints_;
  uint64_t revision_ = 10;
  storage::WorldWriter writer_{storage::kLampSources};
  const storage::WorldPtr then_ = Next();
  const storage::WorldPtr now_ = Next();
  boost::asio::io_context io_{1};
};

TEST_F(MapProjectionTest, FindsByKey) {
  paints_.Put(then_, "a", "x");
  const auto found = paints_.Find(then_, {"a", "x"});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->ns(), "a");
  EXPECT_EQ(found->name(), "x");
  EXPECT_EQ(paints_.Find(then_, {"a", "y"}), nullptr);
  EXPECT_EQ(paints_.Find(now_, {"a", "x"}), nullptr);
}

TEST_F(MapProjectionTest, ListsWhatIsSelectedInTheOrderOfKeys) {
  paints_.Put(then_, "b", "x");
  paints_.Put(then_, "a", "y", "u", "blue");
  paints_.Put(then_, "a", "x");
  EXPECT_THAT(List(Select("")), ElementsAre("a/x", "a/y", "b/x"));
  EXPECT_THAT(List(Select("a")), ElementsAre("a/x", "a/y"));
  EXPECT_THAT(List(Select("", "", "metadata.namespace=b")), ElementsAre("b/x"));
  EXPECT_THAT(List(Select("", "", "metadata.name=x")), ElementsAre("a/x", "b/x"));
  EXPECT_THAT(List(Select("", "colour=blue")), ElementsAre("a/y"));
  EXPECT_THAT(List(Select("c")), IsEmpty());
  EXPECT_THAT(List(Select(""), {{"a", "x"}}), ElementsAre("a/y", "b/x"));
  EXPECT_THAT(List(Select(""), {{"a", "xx"}}), ElementsAre("a/y", "b/x"));
  EXPECT_THAT(List(Select("a"), {{"b", "x"}}), IsEmpty());
  EXPECT_EQ(*RunOn(io_, paints_.Count(then_, "", std::nullopt)), 3);
  EXPECT_EQ(*RunOn(io_, paints_.Count(then_, "a", kube::NamespacedName{"a", "x"})), 1);
}

TEST_F(MapProjectionTest, PausesAndGoesOn) {
  for (int i = 0; i < 1100; ++i) paints_.Put(then_, "a", StrCat("n", 10000 + i));
  EXPECT_EQ(List(Select("")).size(), 1100u);
  EXPECT_THAT(List(Select("", "", "metadata.name=n11099")), ElementsAre("a/n11099"));
}

TEST_F(MapProjectionTest, WhatAPageSetAsideIsKept) {
  for (const char* name : {"x", "y", "z"}) paints_.Put(then_, "a", name);
  const auto cursor = paints_.List(then_, Select(""), std::nullopt);
  (void)cursor->Next();
  cursor->Keep();
  (void)cursor->Next();
  (void)cursor->Next();
  cursor->Keep();
  const std::unique_ptr<rest::Cursor> kept = cursor->TakeKept();
  EXPECT_EQ(kept->Next()->name(), "x");
  EXPECT_EQ(kept->Next()->name(), "z");
  EXPECT_EQ(kept->Next(), nullptr);
}

TEST_F(MapProjectionTest, EventsLeadFromOneMapToTheOther) {
  paints_.Put(then_, "a", "gone");
  paints_.Put(then_, "a", "replaced", "u1");
  paints_.Put(then_, "a", "same");
  paints_.Put(then_, "b", "changed");
  paints_.Put(now_, "a", "new");
  paints_.Put(now_, "a", "replaced", "u2");
  paints_.Put(now_, "a", "same");
  paints_.Put(now_, "b", "changed", "u", "blue");
  EXPECT_THAT(Events(Select("")),
              ElementsAre("DELETED a/gone u", "ADDED a/new u", "DELETED a/replaced u1",
                          "ADDED a/replaced u2", "MODIFIED b/changed u"));
  EXPECT_THAT(Events(Select("b")), ElementsAre("MODIFIED b/changed u"));
  // Events about objects that came into the selection, or left it.
  EXPECT_THAT(Events(Select("b", "colour=blue")), ElementsAre("ADDED b/changed u"));
  EXPECT_THAT(Events(Select("b", "colour=red")), ElementsAre("DELETED b/changed u"));
}

TEST_F(MapProjectionTest, WhatAClientMayLackIsToldAgain) {
  paints_.Put(then_, "a", "same");
  paints_.Put(now_, "a", "same");
  EXPECT_THAT(Events(Select("")), IsEmpty());
  const std::vector<std::string> events = Events(Select(""), {{"a", "never"}, {"a", "same"}});
  // Only the name of a missing object is known, and its cells show nothing else.
  EXPECT_THAT(events, ElementsAre("DELETED a/never [\"never\"]", "MODIFIED a/same u"));
}

}  // namespace
}  // namespace steward::views
