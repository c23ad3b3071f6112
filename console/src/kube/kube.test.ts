import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeApi, listOf, statusOf } from '../testing/fakeApi';
import { consoleFetch, hosts } from '../testing/hosts';
import type { Cluster } from './cluster';
import { ApiError } from './errors';
import { Informer, type Form, type InformerSource } from './informer';
import { clusterServiceVersions, installedOperators, namespaces } from './models';
import { ago } from './time';

vi.mock('@openshift-console/dynamic-plugin-sdk', () => ({ consoleFetch: (...all: unknown[]) => consoleFetch(...all), DocumentTitle: () => null }));

const nameOf: Form<string> = { fromObject: (object) => object.metadata.name ?? '' };
const rowOf: Form<string> = { ...nameOf, fromRow: (cell, object) => `${object.metadata.name}:${String(cell('Version'))}` };

const object = (name: string, resourceVersion = '1') => ({ metadata: { name, namespace: 'web', uid: `uid-${name}`, resourceVersion } });

describe.each(hosts)('a cluster $name', ({ cluster: clusterOf }) => {
  let api: FakeApi;
  let cluster: Cluster;

  beforeEach(() => {
    vi.useFakeTimers();
    api = new FakeApi();
    cluster = clusterOf(api);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const settle = (milliseconds = 60) => vi.advanceTimersByTimeAsync(milliseconds);

  function follow<T = string>(source: Partial<InformerSource> = {}, form: Form<T> = nameOf as unknown as Form<T>) {
    const informer = new Informer<T>(cluster, { model: installedOperators, namespace: 'web', ...source }, form);
    const told: string[] = [];
    const leave = informer.subscribe(() => told.push([...informer.current().items.values()].join(' ')));
    const names = () => [...informer.current().items.values()].sort().join(' ');
    return { informer, told, leave, names };
  }

  it('reads, writes and deletes at the paths of the API', async () => {
    api.on(/^GET .*\/operators\.coreos\.com\/v1alpha1\/namespaces\/ops\/clusterserviceversions\/a$/, { body: object('a') });
    api.on(/^GET \/api\/v1\/namespaces\/ops$/, { body: object('ops') });
    api.on(/^(PATCH|DELETE|POST) /, { body: object('a') });
    expect((await cluster.get(clusterServiceVersions, 'ops', 'a')).metadata.name).toBe('a');
    expect((await cluster.get(namespaces, undefined, 'ops')).metadata.name).toBe('ops');
    await cluster.patch(clusterServiceVersions, 'ops', 'a', [{ op: 'test', path: '/metadata/uid', value: 'u' }], { dryRun: true });
    await cluster.merge(clusterServiceVersions, 'ops', 'a', { spec: { cleanup: { enabled: false } } });
    await cluster.delete(clusterServiceVersions, 'ops', 'a', { uid: 'u', resourceVersion: '7', propagationPolicy: 'Background' });
    const [patch, merge, remove] = api.requests.slice(2);
    expect(patch).toMatchObject({ method: 'PATCH', path: expect.stringMatching(/clusterserviceversions\/a\?dryRun=All$/) });
    expect(patch?.headers['content-type']).toBe('application/json-patch+json');
    expect(merge?.headers['content-type']).toBe('application/merge-patch+json');
    expect(remove?.body).toMatchObject({ kind: 'DeleteOptions', preconditions: { uid: 'u', resourceVersion: '7' }, propagationPolicy: 'Background' });
  });

  it('never asks for the collection where a name is missing', async () => {
    await expect(cluster.delete(clusterServiceVersions, 'ops', '', { uid: 'u' })).rejects.toMatchObject({ code: 404 });
    expect(api.requests).toHaveLength(0);
  });

  it.each([
    [403, 'Forbidden', 'forbidden'],
    [404, 'NotFound', 'missing'],
    [409, 'Conflict', 'conflict'],
    [410, 'Expired', 'expired'],
    [429, 'TooManyRequests', 'unavailable'],
    [503, 'ServiceUnavailable', 'unavailable'],
  ] as const)('tells %i %s as the Status says it', async (code, reason, kind) => {
    api.on(/^GET /, { ...statusOf(code, reason, `because of ${reason}`), headers: { 'Retry-After': '3' } });
    const error = await cluster.get(installedOperators, 'web', 'a').catch((thrown: unknown) => thrown as ApiError);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, reason, message: `because of ${reason}`, retryAfterSeconds: 3, [kind]: true });
  });

  it('tells when nobody answers, and when the answer is no JSON', async () => {
    api.down = true;
    await expect(cluster.get(installedOperators, 'web', 'a')).rejects.toMatchObject({ code: 0, unavailable: true });
    api.down = false;
    api.on(/^GET /, { body: undefined });
    await expect(cluster.get(installedOperators, 'web', 'a')).rejects.toMatchObject({ code: 0 });
  });

  it('asks once what the user may do, and again after a minute or a failure', async () => {
    const access = { verb: 'delete', group: 'operators.coreos.com', resource: 'clusterserviceversions', namespace: 'ops' };
    api.on(/selfsubjectaccessreviews/, statusOf(503, 'ServiceUnavailable', 'later'));
    await expect(cluster.may(access)).rejects.toMatchObject({ code: 503 });
    api.on(/selfsubjectaccessreviews/, { body: { status: { allowed: true } } });
    expect(await cluster.may(access)).toEqual({ allowed: true, reason: '' });
    await cluster.may(access);
    expect(api.seen(/selfsubjectaccessreviews/)).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(61_000);
    await cluster.may(access);
    expect(api.seen(/selfsubjectaccessreviews/)).toHaveLength(3);
    expect(api.requests[0]?.body).toMatchObject({ spec: { resourceAttributes: access } });
  });

  it('divides a subresource in a question about access', async () => {
    api.on(/selfsubjectaccessreviews/, { body: { status: { allowed: false, reason: 'no' } } });
    expect(await cluster.may({ verb: 'create', group: 'g', resource: 'a/b' })).toEqual({ allowed: false, reason: 'no' });
    expect(api.requests[0]?.body).toMatchObject({ spec: { resourceAttributes: { resource: 'a', subresource: 'b' } } });
  });

  it('shows the first page before the last has come', async () => {
    let release = () => {};
    api.on(/installedoperators\?limit=/, listOf([object('a')], '5', 'more'));
    api.on(/continue=more/, () => new Promise((resolve) => (release = () => resolve(listOf([object('b')], '5')))));
    const { informer, names } = follow();
    await settle();
    expect(names()).toBe('a');
    expect(informer.current().loaded).toBe(false);
    release();
    await settle();
    expect(names()).toBe('a b');
    expect(informer.current().loaded).toBe(true);
  });

  it('reads a Table where a form knows its rows', async () => {
    api.on(/installedoperators\?/, {
      body: { kind: 'Table', metadata: { resourceVersion: '4' }, columnDefinitions: [{ name: 'Name' }, { name: 'Version' }], rows: [{ cells: ['a', '1.0.0'], object: object('a') }] },
    });
    const { names } = follow({ namespace: undefined }, rowOf);
    await settle();
    expect(names()).toBe('a:1.0.0');
    expect(api.requests[0]?.headers['accept']).toContain('as=Table');
    expect(api.socket.url.searchParams.get('resourceVersion')).toBe('4');
  });

  it('follows what is added, changed and deleted', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    const { informer, names } = follow({ name: 'x', labelSelector: 'k=v' });
    await settle();
    const { socket } = api;
    expect(socket.url.pathname).toMatch(/\/apis\/views\.operators\.coreos\.com\/v1alpha1\/namespaces\/web\/installedoperators$/);
    expect(Object.fromEntries(socket.url.searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '5',
      labelSelector: 'k=v',
      fieldSelector: 'metadata.name=x',
    });
    socket.open();
    socket.send('ADDED', object('b', '6'));
    await settle();
    expect(names()).toBe('a b');
    socket.send('DELETED', object('a', '7'));
    socket.send('MODIFIED', object('b', '8'));
    await settle();
    expect(names()).toBe('b');
    expect(informer.current().live).toBe(true);
  });

  it('goes on where the last bookmark stood', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    const { names } = follow();
    await settle();
    api.socket.open();
    api.socket.send('BOOKMARK', { metadata: { resourceVersion: '99' } });
    api.socket.end();
    await settle(600);
    expect(api.sockets).toHaveLength(2);
    expect(api.socket.url.searchParams.get('resourceVersion')).toBe('99');
    expect(api.seen(/installedoperators\?limit/)).toHaveLength(1);
    expect(names()).toBe('a');
  });

  it('lists anew what the server has forgotten, and shows the old until the new is whole', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    const { names, told } = follow();
    await settle();
    api.socket.open();
    api.on(/installedoperators\?/, listOf([object('b')], '50'));
    api.socket.send('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
    await settle();
    expect(names()).toBe('b');
    expect(told).not.toContain('');
    expect(api.socket.url.searchParams.get('resourceVersion')).toBe('50');
  });

  it('lists after a while where the server forgets what it has just listed', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    follow();
    const lists = () => api.seen(/installedoperators\?limit/).length;
    await settle();
    for (const expected of [2, 2]) {
      api.socket.open();
      api.socket.send('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
      await settle(10);
      expect(lists()).toBe(expected);
    }
    await settle(600);
    expect(lists()).toBe(3);
  });

  it('takes the objects of a server that makes no Tables', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    const informer = new Informer<string>(cluster, { model: installedOperators, namespace: 'web' }, rowOf);
    informer.subscribe(() => {});
    await settle();
    expect([...informer.current().items.values()]).toEqual(['a']);
  });

  it('tells a lost connection, keeps what it has, and heals by itself', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    const { informer, names } = follow();
    await settle();
    api.socket.open();
    await settle();
    api.down = true;
    api.socket.end();
    await settle(1_000);
    expect(informer.current().lostAt).toBeUndefined();
    // The second WebSocket is refused, and then the list.
    api.socket.end();
    await settle(5_000);
    expect(informer.current()).toMatchObject({ loaded: true, live: false, error: { code: 0 } });
    expect(informer.current().lostAt).toBeDefined();
    expect(names()).toBe('a');
    api.down = false;
    api.on(/installedoperators\?/, listOf([object('a'), object('b')], '6'));
    await settle(30_000);
    api.socket.open();
    await settle();
    expect(names()).toBe('a b');
    expect(informer.current()).toMatchObject({ live: true, error: undefined, lostAt: undefined });
  });

  it('tries at once when the browser is online again', async () => {
    api.down = true;
    const { informer, names } = follow();
    await settle(40_000);
    expect(informer.current()).toMatchObject({ loaded: false, error: { code: 0 } });
    api.down = false;
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    window.dispatchEvent(new Event('online'));
    await settle();
    expect(names()).toBe('a');
  });

  it('waits as long as Retry-After says', async () => {
    api.on(/installedoperators\?/, { ...statusOf(429, 'TooManyRequests', 'busy'), headers: { 'Retry-After': '20' } });
    follow();
    await settle(15_000);
    expect(api.requests).toHaveLength(1);
    await settle(6_000);
    expect(api.requests).toHaveLength(2);
  });

  it('tells what is forbidden', async () => {
    api.on(/installedoperators\?/, statusOf(403, 'Forbidden', 'tina may not'));
    const { informer } = follow();
    await settle();
    expect(informer.current()).toMatchObject({ loaded: false, error: { code: 403, message: 'tina may not' } });
  });

  it('begins again after a message that is no JSON, and after silence', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    follow();
    await settle();
    api.socket.open();
    api.socket.sendText('{');
    await settle(600);
    expect(api.sockets).toHaveLength(2);
    api.socket.open();
    await settle(151_000);
    expect(api.sockets).toHaveLength(3);
  });

  it('ends everything with its last subscriber', async () => {
    api.on(/installedoperators\?/, listOf([object('a')], '5'));
    const { leave } = follow();
    await settle();
    api.socket.open();
    leave();
    expect(api.socket.closed).toBe(true);
    await settle(200_000);
    expect(api.sockets).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the page of its own', () => {
  it('sends the token as a header and as a protocol of WebSockets', async () => {
    const api = new FakeApi().on(/./, { body: object('a') });
    const cluster = hosts[1]?.cluster(api) as Cluster;
    await cluster.get(installedOperators, 'web', 'a');
    expect(api.requests[0]?.headers['authorization']).toBe('Bearer tina-s.token_1');
    cluster.watch(installedOperators, 'web', '1');
    expect(api.socket.protocols).toEqual(['base64url.bearer.authorization.k8s.io.dGluYS1zLnRva2VuXzE', 'watch.steward.operatorframework.io']);
  });
});

describe('ago', () => {
  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z', '5s'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:03:05Z', '3m'],
    ['2026-01-01T00:00:00Z', '2026-01-01T05:00:00Z', '5h'],
    ['2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z', '3d'],
    ['2026-01-01T00:00:00Z', '2028-01-04T00:00:00Z', '2y'],
    ['2026-01-01T00:00:09Z', '2026-01-01T00:00:00Z', '0s'],
    ['nonsense', '2026-01-01T00:00:00Z', '-'],
  ])('%s at %s', (then, now, text) => {
    expect(ago(then, Date.parse(now))).toBe(text);
  });
});
