// Random schedules as in watch_simulation.h, with clients that use the served resource: lists in
// pages, and watches that end when their time is up, with and without initial events. Not
// thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_STREAM_SIMULATION_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_STREAM_SIMULATION_H_

#include "apiserver/views/virtual_resource/testing/model.h"

namespace steward::views::stream_simulation {

// Fails the test when the pages of a list are not one list, or a watch does not end with the true
// state, after the events and bookmarks that it should have.
void PagesAndStreamsAreWhole(const Subject& subject);

}  // namespace steward::views::stream_simulation

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_STREAM_SIMULATION_H_
