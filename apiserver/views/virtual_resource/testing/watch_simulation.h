// Random schedules over one etcd, three replicas (see model.h), and clients that move between the
// replicas: informers, and consoles, which take an object only if its number is larger in double
// precision. A failing schedule is shrunk. Not thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_WATCH_SIMULATION_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_WATCH_SIMULATION_H_

#include "apiserver/views/virtual_resource/testing/model.h"

namespace steward::views::watch_simulation {

// Fails the test when a client that read all there is does not have the true state.
void ClientsEndWithTheTruth(const Subject& subject);
// Fails the test if a watch continues after etcd was restored from an old copy.
void RestoredEtcd(const Subject& subject);
// Runs ClientsEndWithTheTruth with ten times as many steps.
void LongHistories(const Subject& subject);

}  // namespace steward::views::watch_simulation

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_WATCH_SIMULATION_H_
