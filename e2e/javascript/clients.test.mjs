// JavaScript clients against Steward behind a real kube-apiserver. e2e/cases/javascript_test.go prepares the cluster:
//   KUBECONFIG         an administrator's
//   STEWARD_NAMESPACE  has an OperatorGroup for itself
//   STEWARD_CSV        a ClusterServiceVersion as OLM would have installed it there, as JSON

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as k8s from '@kubernetes/client-node';
import { Api, DetailsView, ListView, until } from './console.mjs';

const namespace = process.env.STEWARD_NAMESPACE;
const group = 'views.operators.coreos.com';
const version = 'v1alpha1';
const plural = 'installedoperators';
const all = `/apis/${group}/${version}/${plural}`;
const views = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
const csvs = `/apis/operators.coreos.com/v1alpha1/namespaces/${namespace}/clusterserviceversions`;

const kubeConfig = new k8s.KubeConfig();
let api;
const running = [];

before(async () => {
  kubeConfig.loadFromFile(process.env.KUBECONFIG);
  api = await Api.of(kubeConfig);
});

after(() => running.forEach((one) => one.stop()));

async function install(name) {
  const csv = JSON.parse(process.env.STEWARD_CSV);
  csv.metadata.name = name;
  await api.request('POST', csvs, csv);
}

const paint = (name, colour) => api.merge(`${csvs}/${name}`, { metadata: { labels: { colour } } });
const uninstall = (name) => api.request('DELETE', `${csvs}/${name}`);

const installed = async () => (await api.get(views)).items.map(({ metadata }) => metadata.name);

/** Waits until a list has them. */
async function listed(...names) {
  for (let found = []; !names.every((name) => found.includes(name)); ) found = await installed();
}

/** Waits until no list has them. */
async function unlisted(...names) {
  for (let found = names; names.some((name) => found.includes(name)); ) found = await installed();
}

async function startList() {
  const view = new ListView(api, views);
  await view.start();
  running.push(view.socket);
  await until('the socket is open', () => view.socket.opened === 1);
  return view;
}

test('pages of a list belong together', async () => {
  await install('first.v1');
  await install('second.v1');
  await listed('first.v1', 'second.v1');
  const keys = ({ items }) => items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  let large, small;
  // Whatever else goes on in the cluster may fall between the two.
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    large = await api.list(all, 250);
    small = await api.list(all, Math.floor(large.items.length / 2));
    if (keys(small).join() === keys(large).join()) break;
  }
  assert.ok(small.pages > 1);
  assert.equal(large.versions.length, 1);
  assert.equal(small.versions.length, 1);
  assert.deepEqual(keys(small), keys(large));
  assert.equal(new Set(keys(large)).size, large.items.length);
});

test('a list page follows', async () => {
  const view = await startList();
  await install('follows');
  await until('a new object', () => view.store.get(namespace, 'follows'));
  const { uid } = view.store.get(namespace, 'follows').metadata;
  // Each change must pass for newer by parseInt, which sees the leading digits of a number only.
  for (const colour of ['red', 'green', 'blue', 'white', 'black']) {
    await paint('follows', colour);
    await until(`${colour}`, () => view.store.get(namespace, 'follows').metadata.labels?.colour === colour);
  }
  assert.equal(view.store.get(namespace, 'follows').metadata.uid, uid);
  assert.equal(view.store.refused, 0);
  await uninstall('follows');
  await until('it is gone', () => !view.store.get(namespace, 'follows'));
  assert.deepEqual(view.others, []);
});

test('a list page survives the loss of its socket', async () => {
  const view = await startList();
  await install('before');
  await until('before', () => view.store.get(namespace, 'before'));
  view.socket.lose();
  await install('meanwhile');
  await paint('before', 'red');
  // With the same URL everything since the list comes again; what is known already is not newer.
  await until('the socket is open again', () => view.socket.opened === 2);
  await until('the new one', () => view.store.get(namespace, 'meanwhile'));
  await until('the change', () => view.store.get(namespace, 'before').metadata.labels?.colour === 'red');
  await paint('meanwhile', 'blue');
  await until('the next change', () => view.store.get(namespace, 'meanwhile').metadata.labels?.colour === 'blue');
  const fresh = new ListView(api, views);
  (await api.list(views)).items.forEach((item) => fresh.store.offer(item));
  assert.deepEqual(view.store.contents(), fresh.store.contents());
  assert.deepEqual(view.socket.closes, [1006]);
  assert.deepEqual(view.others, []);
  await Promise.all([uninstall('before'), uninstall('meanwhile')]);
  await until('both are gone', () => !view.store.get(namespace, 'before') && !view.store.get(namespace, 'meanwhile'));
});

test('a details page shows the object at once and follows', async () => {
  await install('shown');
  await install('beside');
  const view = new DetailsView(api, views, 'shown');
  await listed('shown', 'beside');
  await view.start();
  running.push(view.socket);
  const { uid } = view.shown.metadata;
  await until('the replayed state', () => view.types.length === 1);
  await paint('beside', 'red');
  await paint('shown', 'green');
  await until('the change', () => view.shown.metadata.labels?.colour === 'green');
  await uninstall('shown');
  await until('the end', () => view.types.length === 3);
  assert.deepEqual(view.types, ['ADDED', 'MODIFIED', 'DELETED']);
  assert.equal(view.shown.metadata.uid, uid);
  assert.equal(view.shown.kind, 'InstalledOperator');
  await uninstall('beside');
  await unlisted('beside');
});

test('a watch that began too early says so and closes', async () => {
  const { versions } = await api.list(views);
  const old = versions[0].slice(0, -21) + '0'.repeat(21);
  const socket = api.socket(`${views}?watch=true&resourceVersion=${old}`);
  const events = [];
  socket.on('message', (data) => events.push(JSON.parse(data.toString())));
  const code = await new Promise((resolve) => socket.on('close', resolve));
  assert.equal(code, 1000);
  assert.deepEqual(events.map(({ type, object }) => [type, object.kind, object.code]), [['ERROR', 'Status', 410]]);
});

test('the watch of @kubernetes/client-node', async () => {
  const { versions } = await api.list(views);
  const seen = [];
  let ended = false;
  const controller = await new k8s.Watch(kubeConfig).watch(
    views,
    { resourceVersion: versions[0] },
    (type, object) => seen.push(`${type} ${object.metadata.name}`),
    () => (ended = true),
  );
  await install('watched');
  await until('ADDED', () => seen.length === 1);
  await uninstall('watched');
  await until('DELETED', () => seen.length === 2);
  assert.deepEqual(seen, ['ADDED watched', 'DELETED watched']);
  assert.equal(ended, false);
  controller.abort();
});

test('the informer of @kubernetes/client-node', async () => {
  await install('first');
  const custom = kubeConfig.makeApiClient(k8s.CustomObjectsApi);
  const informer = k8s.makeInformer(kubeConfig, views, () =>
    custom.listNamespacedCustomObject({ group, version, namespace, plural }),
  );
  const seen = [];
  const errors = [];
  for (const verb of ['add', 'update', 'delete']) {
    informer.on(verb, ({ metadata: { name } }) => ['first', 'second'].includes(name) && seen.push(`${verb} ${name}`));
  }
  informer.on('error', (error) => errors.push(error));
  await listed('first');
  await informer.start();
  running.push(informer);
  await until('what there was', () => informer.get('first', namespace));
  await install('second');
  await until('an addition', () => informer.get('second', namespace));
  await paint('second', 'red');
  await until('a change', () => informer.get('second', namespace).metadata.labels?.colour === 'red');
  await uninstall('second');
  await until('a deletion', () => !informer.get('second', namespace));
  assert.deepEqual(seen, ['add first', 'add second', 'update second', 'delete second']);
  assert.deepEqual(errors, []);
  await informer.stop();
  await uninstall('first');
});
