import { describe, expect, it } from 'vitest';
import { ApiError } from '../kube/errors';
import { CSV, csvOf, operatorCluster, reference } from '../testing/operator';
import { CLEANUP_FINALIZER, CONFIRMED_LABEL, optInPatch } from './csv';
import type { ClusterServiceVersion } from './types';
import { byFinalizer, isRunning, whyNoAbort } from './verdict';
import { abortCleanup } from './write';

describe('an abort', () => {
  it('of an operator that is being uninstalled takes the author\'s word back', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER], deleting: true });
    expect(await abortCleanup(fake.cluster, reference)).toBe('calledOff');
    expect(fake.writes().length).toBe(1);
    expect(fake.writes()[0]?.body).toEqual({ metadata: { uid: 'uid-1', resourceVersion: expect.any(String) }, spec: { cleanup: { enabled: false } } });
    // Once more: it is as wanted.
    expect(await abortCleanup(fake.cluster, reference)).toBe('calledOff');
    expect(fake.writes().length).toBe(1);
  });
  it('of another one takes the opt-in off, and tests that it is the same', async () => {
    const fake = operatorCluster({ finalizers: ['a/b', CLEANUP_FINALIZER] });
    expect(await abortCleanup(fake.cluster, reference)).toBe('optedOut');
    expect(fake.writes()[0]?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/metadata/resourceVersion', value: expect.any(String) },
      { op: 'test', path: '/metadata/finalizers/1', value: CLEANUP_FINALIZER },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ]);
  });
  it('of one that nobody opted in writes nothing', async () => {
    const fake = operatorCluster();
    expect(await abortCleanup(fake.cluster, reference)).toBe('nothing');
    expect(fake.writes()).toEqual([]);
  });
  it('looks again after a conflict, and tells when the operator has gone', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER], deleting: true });
    let conflicts = 0;
    fake.rule('PATCH', CSV, () => (++conflicts === 1 ? new ApiError(409, 'Conflict', 'modified') : undefined));
    expect(await abortCleanup(fake.cluster, reference)).toBe('calledOff');
    const gone = operatorCluster({ finalizers: [CLEANUP_FINALIZER], deleting: true });
    gone.rule('PATCH', CSV, () => {
      gone.remove(CSV);
      return new ApiError(404, 'NotFound', 'gone');
    });
    expect(await abortCleanup(gone.cluster, reference)).toBe('gone');
  });
  it('touches no other object of the same name', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER], deleting: true });
    fake.rule('PATCH', CSV, () => {
      const other = csvOf({ finalizers: [CLEANUP_FINALIZER] });
      fake.put(CSV, { ...other, metadata: { ...other.metadata, uid: 'uid-2' } });
      return new ApiError(409, 'Conflict', 'modified');
    });
    expect(await abortCleanup(fake.cluster, reference)).toBe('gone');
    expect((fake.objects.get(CSV) as ClusterServiceVersion).spec?.cleanup?.enabled).toBe(true);
  });
  it('that is forbidden says so', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER] });
    fake.rule('PATCH', CSV, new ApiError(403, 'Forbidden', 'no'));
    await expect(abortCleanup(fake.cluster, reference)).rejects.toMatchObject({ code: 403 });
  });
});

describe('why there is no abort', () => {
  it.each([
    [{ optedIn: false }, true, 'notOptedIn'],
    [{ optedIn: true, enabled: true }, undefined, 'unknown'],
    [{ optedIn: true, enabled: true }, false, 'forbidden'],
    [{ optedIn: true, enabled: false, startedAt: 'now' }, true, 'calledOff'],
    [{ optedIn: true, enabled: true, startedAt: 'now' }, true, undefined],
    [{ optedIn: true, enabled: false }, true, undefined],
  ])('%j, %s: %s', (outlook, may, why) => expect(whyNoAbort(outlook, may)).toBe(why));
});

it('an opt-in adds to labels and finalizers that are there, and nothing that is', () => {
  const csv = csvOf({ finalizers: ['a/b'] });
  csv.metadata.labels = { x: 'y' };
  expect(optInPatch(csv, 'proof').slice(2)).toEqual([
    { op: 'add', path: '/metadata/finalizers/-', value: CLEANUP_FINALIZER },
    { op: 'add', path: '/metadata/labels/steward.operatorframework.io~1opt-in-confirmed', value: 'proof' },
  ]);
  csv.metadata.labels = { [CONFIRMED_LABEL]: 'proof' };
  csv.metadata.finalizers = [CLEANUP_FINALIZER];
  expect(optInPatch(csv, 'proof')).toEqual([]);
});

it('what is pending is grouped by who holds it, the oldest first', () => {
  const operand = (name: string, at?: string, finalizers?: string[]) => ({ group: 'g', kind: 'K', plural: 'ks', name, deletionTimestamp: at, finalizers });
  const holders = byFinalizer([operand('a', '2026-01-02', ['x']), operand('b', '2026-01-01', ['x', 'y']), operand('c')]);
  expect(holders.map((each) => [each.finalizer, each.operands.map((one) => one.name)])).toEqual([
    ['x', ['b', 'a']],
    ['', ['c']],
    ['y', ['b']],
  ]);
  expect(isRunning({ phase: 'Refused', startedAt: 'now' })).toBe(true);
  expect(isRunning({ phase: 'Ready' })).toBe(false);
});
