import { describe, expect, it } from 'vitest';
import { CLEANUP_FINALIZER, hasOptIn } from '../cleanup/csv';
import type { ClusterServiceVersion } from '../cleanup/types';
import { ApiError } from '../kube/errors';
import type { FakeCluster } from '../testing/fakeCluster';
import { becomesReady, CSV, csvOf, CSVS, DEFINITION, operatorCluster, PLAN, reference, ROLE, STATUS, statusOf, SUBSCRIPTION } from '../testing/operator';
import { Refusal, type RefusalReason, type Wish } from './course';
import { examine, isPossible } from './examine';
import { makePlan, TakeBackFailed, tryWrites, Uninstallation, type News, type Setting } from './steps';

const forbidden = (what: string) => new ApiError(403, 'Forbidden', `${what} is forbidden`);

function settingOf(fake: FakeCluster, onPause: (round: number) => void = () => {}) {
  const news: News[] = [];
  const remembered: boolean[] = [];
  let round = 0;
  const setting: Setting = {
    cluster: fake.cluster,
    tell: (each) => news.push(each),
    optedIn: (yes) => remembered.push(yes),
    pause: async () => {
      onPause(++round);
      if (round > 50) throw new Error('it waits for ever');
    },
  };
  return { setting, news, remembered };
}

async function uninstall(fake: FakeCluster, wish: Wish, onPause?: (round: number) => void, ownOptIn = false) {
  const made = settingOf(fake, onPause);
  const plan = await makePlan(fake.cluster, reference, wish, ownOptIn);
  const uninstallation = new Uninstallation(made.setting, plan);
  return { ...made, plan, uninstallation, run: () => uninstallation.run() };
}

const csvIn = (fake: FakeCluster) => fake.objects.get(CSV) as ClusterServiceVersion | undefined;
const written = (fake: FakeCluster) => fake.writes().map((each) => `${each.method} ${each.path}`);

async function refusalOf(promise: Promise<unknown>): Promise<RefusalReason> {
  const thrown = await promise.then(
    () => undefined,
    (each: unknown) => each,
  );
  expect(thrown).toBeInstanceOf(Refusal);
  return (thrown as Refusal).reason;
}

describe('an uninstallation', () => {
  it('that keeps custom resources deletes what would install it again, then the operator, by UID', async () => {
    const fake = operatorCluster();
    const { run, news } = await uninstall(fake, 'asItIs');
    await run();
    expect(written(fake)).toEqual([`DELETE ${SUBSCRIPTION}`, `DELETE ${CSV}`]);
    const [subscription, csv] = fake.writes();
    expect(subscription?.body).toMatchObject({ preconditions: { uid: 'sub-1' }, propagationPolicy: 'Background' });
    expect(csv?.body).toMatchObject({ preconditions: { uid: 'uid-1', resourceVersion: expect.any(String) }, propagationPolicy: 'Background' });
    expect(fake.objects.has(PLAN)).toBe(true); // it installs another operator, too
    expect(news.map((each) => each.stage)).toEqual(['deleteRelated', 'deleteRelated', 'delete', 'deleted']);
  });

  it('with cleanup opts in, waits until it is ready, and only then deletes', async () => {
    const fake = operatorCluster();
    const { run, remembered } = await uninstall(fake, 'delete', (round) => {
      if (round === 1) fake.put(STATUS, statusOf({ optedIn: true, phase: 'Ready', blockers: [] })); // the rights are not held yet
      if (round === 2) becomesReady(fake);
    });
    await run();
    expect(written(fake)).toEqual([`PATCH ${CSV}`, `DELETE ${SUBSCRIPTION}`, `DELETE ${CSV}`]);
    expect(fake.writes()[0]?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/metadata/resourceVersion', value: expect.any(String) },
      { op: 'add', path: '/metadata/finalizers', value: [CLEANUP_FINALIZER] },
    ]);
    expect(csvIn(fake)?.metadata.deletionTimestamp).toBeTruthy();
    expect(remembered).toEqual([true, false]);
  });

  it('waits while the opt-in is not confirmed, and while a right is not held', async () => {
    const fake = operatorCluster();
    const role = fake.objects.get(ROLE);
    const { run, news } = await uninstall(fake, 'delete', (round) => {
      const csv = csvIn(fake) as ClusterServiceVersion;
      if (round === 1) {
        becomesReady(fake);
        fake.put(CSV, { ...csv, status: { ...csv.status, conditions: [{ reason: 'RightsHeld' }, { reason: 'OptInUnconfirmed' }] } });
      }
      if (round === 3) fake.put(CSV, { ...csv, status: { ...csv.status, conditions: [{ reason: 'RightsHeld' }] } });
      if (round === 3) fake.put(ROLE, { metadata: { ...role?.metadata, finalizers: [] } });
      if (round === 5) fake.put(ROLE, { metadata: { ...role?.metadata, finalizers: ['steward.operatorframework.io/hold-rights'] } });
      expect(csvIn(fake)?.metadata.deletionTimestamp).toBeUndefined();
    });
    await run();
    expect(news.some((each) => each.unconfirmed)).toBe(true);
    expect(csvIn(fake)?.metadata.deletionTimestamp).toBeTruthy();
  });

  it.each(['Refused', 'Unknown'])('takes its opt-in back when Steward says %s', async (phase) => {
    const fake = operatorCluster();
    const { run, remembered } = await uninstall(fake, 'delete', () => {
      fake.put(STATUS, statusOf({ optedIn: true, phase, blockers: [{ reason: 'SharedOwner', message: 'another one' }] }));
    });
    expect(await refusalOf(run())).toBe(phase === 'Refused' ? 'blocked' : 'undecided');
    expect(hasOptIn(csvIn(fake) as ClusterServiceVersion)).toBe(false);
    expect(fake.objects.has(SUBSCRIPTION)).toBe(true);
    expect(remembered).toEqual([true, false]);
  });

  it('leaves an earlier opt-in alone when it is refused', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER] });
    const { run } = await uninstall(fake, 'delete');
    fake.put(STATUS, statusOf({ optedIn: true, phase: 'Refused', blockers: [{ reason: 'SharedOwner' }] }));
    expect(await refusalOf(run())).toBe('blocked');
    expect(hasOptIn(csvIn(fake) as ClusterServiceVersion)).toBe(true);
  });

  it('takes the opt-in back that this page had added before it was loaded anew', async () => {
    const fake = operatorCluster({ finalizers: ['other/finalizer', CLEANUP_FINALIZER] });
    const { run } = await uninstall(fake, 'delete', undefined, true);
    fake.put(STATUS, statusOf({ optedIn: true, phase: 'Refused', blockers: [{ reason: 'SharedOwner' }] }));
    await refusalOf(run());
    expect(csvIn(fake)?.metadata.finalizers).toEqual(['other/finalizer']);
  });

  it('says that the opt-in is still there when it cannot be taken back', async () => {
    const fake = operatorCluster();
    const { run, remembered } = await uninstall(fake, 'delete', () => {
      fake.put(STATUS, statusOf({ optedIn: true, phase: 'Refused', blockers: [] }));
      fake.rule('PATCH', CSV, forbidden('patch'));
    });
    await expect(run()).rejects.toBeInstanceOf(TakeBackFailed);
    expect(remembered).toEqual([true]);
  });

  it('goes on after a reload in the middle', async () => {
    const fake = operatorCluster();
    const first = await uninstall(fake, 'delete', () => {
      throw new Error('left');
    });
    await expect(first.run()).rejects.toThrow('left');
    expect(hasOptIn(csvIn(fake) as ClusterServiceVersion)).toBe(true);
    becomesReady(fake);
    const second = await uninstall(fake, 'delete', undefined, true);
    expect(second.plan.course).toEqual({ deletesOperands: true, optIn: false, optOut: false });
    await second.run();
    expect(csvIn(fake)?.metadata.deletionTimestamp).toBeTruthy();
    // Once more, of what is being deleted: nothing is written.
    const before = fake.writes().length;
    const third = await uninstall(fake, 'delete');
    await third.run();
    expect(fake.writes().length).toBe(before);
  });

  it('removes an earlier opt-in where the custom resources are to be kept', async () => {
    const fake = operatorCluster({ finalizers: ['a/b', CLEANUP_FINALIZER, 'c/d'] });
    const { run } = await uninstall(fake, 'keep');
    await run();
    expect(fake.writes()[0]?.body).toContainEqual({ op: 'remove', path: '/metadata/finalizers/1' });
    expect(csvIn(fake)?.metadata.finalizers).toEqual(['a/b', 'c/d']);
  });

  it('looks again when the object changes between the look and the deletion', async () => {
    const fake = operatorCluster();
    const { run } = await uninstall(fake, 'asItIs');
    let conflicts = 0;
    fake.rule('DELETE', CSV, () => {
      if (conflicts === 3) return undefined;
      ++conflicts;
      fake.put(CSV, { ...(csvIn(fake) as ClusterServiceVersion) });
      return new ApiError(409, 'Conflict', 'modified');
    });
    await run();
    expect(fake.objects.has(CSV)).toBe(false);
    expect(conflicts).toBe(3);
  });

  it('gives up after ten conflicts', async () => {
    const fake = operatorCluster();
    const { run } = await uninstall(fake, 'asItIs');
    fake.rule('DELETE', CSV, new ApiError(409, 'Conflict', 'modified'));
    await expect(run()).rejects.toMatchObject({ code: 409 });
    expect(fake.writes().filter((each) => each.path === CSV).length).toBe(10);
  });

  it('retries the opt-in when somebody else writes meanwhile', async () => {
    const fake = operatorCluster();
    const { run } = await uninstall(fake, 'delete', () => becomesReady(fake));
    let raced = false;
    fake.rule('PATCH', CSV, () => {
      if (!raced) fake.put(CSV, { ...(csvIn(fake) as ClusterServiceVersion) });
      raced = true;
      return undefined;
    });
    await run();
    expect(written(fake).filter((each) => each === `PATCH ${CSV}`).length).toBe(2);
  });

  it('does not take a refused opt-in for a race', async () => {
    const fake = operatorCluster();
    const { run } = await uninstall(fake, 'delete');
    fake.rule('PATCH', CSV, new ApiError(422, 'Invalid', 'a policy says no'));
    await expect(run()).rejects.toMatchObject({ code: 422 });
    expect(written(fake)).toEqual([`PATCH ${CSV}`]);
  });

  it('succeeds when the operator is gone before it is deleted', async () => {
    const fake = operatorCluster();
    const { run, news } = await uninstall(fake, 'asItIs');
    fake.remove(CSV);
    await run();
    expect(news[news.length - 1]?.stage).toBe('deleted');
  });

  it('touches nothing of another object of the same name', async () => {
    const fake = operatorCluster();
    const { run } = await uninstall(fake, 'delete');
    const other = csvOf();
    fake.put(CSV, { ...other, metadata: { ...other.metadata, uid: 'uid-2' } });
    expect(await refusalOf(run())).toBe('replaced');
    expect(written(fake)).toEqual([]);
    const kept = await uninstall(operatorCluster(), 'asItIs');
    expect(kept.plan.csv.metadata.uid).toBe('uid-1');
  });

  it('does not take back what somebody else opted in to meanwhile', async () => {
    const fake = operatorCluster();
    const { run, remembered } = await uninstall(fake, 'delete');
    const theirs = csvOf({ finalizers: [CLEANUP_FINALIZER] });
    fake.put(CSV, theirs);
    fake.put(STATUS, statusOf({ optedIn: true, phase: 'Refused' }));
    expect(await refusalOf(run())).toBe('blocked');
    expect(hasOptIn(csvIn(fake) as ClusterServiceVersion)).toBe(true);
    expect(remembered).not.toContain(true);
  });

  it('refuses to delete when the cleanup was called off, or opted in to, meanwhile', async () => {
    const called = operatorCluster();
    const off = await uninstall(called, 'delete', () => {
      called.put(CSV, csvOf());
    });
    expect(await refusalOf(off.run())).toBe('calledOff');
    const opted = operatorCluster();
    const keeps = await uninstall(opted, 'asItIs');
    opted.put(CSV, csvOf({ finalizers: [CLEANUP_FINALIZER] }));
    expect(await refusalOf(keeps.run())).toBe('optedInMeanwhile');
    expect(opted.objects.has(CSV)).toBe(true);
  });

  it('refuses what was not shown: more kinds, more namespaces, other definitions', async () => {
    const kinds = operatorCluster();
    const more = await uninstall(kinds, 'delete');
    const csv = csvOf();
    csv.spec?.customresourcedefinitions?.owned?.push({ name: 'users.db.example.com', version: 'v1', kind: 'User' });
    kinds.put(CSV, csv);
    expect(await refusalOf(more.run())).toBe('moreOwned');
    const places = operatorCluster();
    const wider = await uninstall(places, 'delete');
    places.put(STATUS, statusOf({ targetNamespaces: ['blue', 'shop'] }));
    expect(await refusalOf(wider.run())).toBe('moreTargets');
    const definitions = operatorCluster();
    const others = await uninstall(definitions, 'delete');
    const definition = definitions.objects.get(DEFINITION);
    definitions.put(DEFINITION, { ...definition, metadata: { ...definition?.metadata, uid: 'crd-2' } });
    expect(await refusalOf(others.run())).toBe('otherDefinitions');
    for (const each of [kinds, places, definitions]) expect(written(each)).toEqual([]);
  });

  it('keeps waiting while nobody answers, and tells so', async () => {
    const fake = operatorCluster();
    let down = true;
    const { run, news } = await uninstall(fake, 'delete', (round) => {
      if (round === 1) becomesReady(fake);
      if (round === 3) down = false;
    });
    await Promise.resolve();
    let reads = 0;
    fake.rule('GET', STATUS, () => (++reads > 1 && down ? new ApiError(503, 'ServiceUnavailable', 'nobody is there') : undefined));
    await run();
    expect(news.some((each) => each.trouble === 'nobody is there')).toBe(true);
  });
});

describe('a refusal of the cluster', () => {
  it('of the opt-in ends it before anything is written', async () => {
    const fake = operatorCluster();
    fake.rule('PATCH', CSV, forbidden('opting in'));
    const plan = await makePlan(fake.cluster, reference, 'delete');
    expect(await refusalOf(tryWrites(fake.cluster, plan))).toBe('optInForbidden');
    const { run } = await uninstall(fake, 'delete');
    expect(await refusalOf(run())).toBe('optInForbidden');
    expect(fake.objects.has(SUBSCRIPTION)).toBe(true);
  });

  it('of the Subscription ends it before the operator is deleted', async () => {
    const fake = operatorCluster();
    fake.rule('DELETE', SUBSCRIPTION, forbidden('deleting'));
    const plan = await makePlan(fake.cluster, reference, 'asItIs');
    expect(await refusalOf(tryWrites(fake.cluster, plan))).toBe('relatedForbidden');
    const { run } = await uninstall(fake, 'asItIs');
    expect(await refusalOf(run())).toBe('relatedForbidden');
    expect(fake.objects.has(CSV)).toBe(true);
  });

  it('of the deletion takes the opt-in back, before the Subscription is deleted', async () => {
    const fake = operatorCluster();
    const { run } = await uninstall(fake, 'delete', () => becomesReady(fake));
    fake.rule('DELETE', CSV, forbidden('uninstalling'));
    expect(await refusalOf(run())).toBe('deleteForbidden');
    expect(hasOptIn(csvIn(fake) as ClusterServiceVersion)).toBe(false);
    expect(fake.objects.has(SUBSCRIPTION)).toBe(true);
  });

  it('to read what would install it again ends it', async () => {
    const fake = operatorCluster();
    fake.rule('GET', /subscriptions$/, forbidden('listing'));
    await expect(makePlan(fake.cluster, reference, 'asItIs')).rejects.toMatchObject({ code: 403 });
  });

  it('to read a definition ends a cleanup, and nothing else', async () => {
    const fake = operatorCluster();
    fake.rule('GET', DEFINITION, forbidden('getting'));
    await expect(makePlan(fake.cluster, reference, 'delete')).rejects.toMatchObject({ code: 403 });
    await expect(makePlan(fake.cluster, reference, 'keep')).resolves.toBeDefined();
  });
});

describe('what is examined before', () => {
  it('names the rights that are missing, and tries nothing then', async () => {
    const fake = operatorCluster();
    fake.refusedAccess = new Set(['create cleanupstatuses/optin', 'delete subscriptions']);
    const examined = await examine(fake.cluster, reference, 'delete', false);
    expect(examined.missing.map((each) => each.resource)).toEqual(['cleanupstatuses/optin', 'subscriptions']);
    expect(isPossible(examined)).toBe(false);
    expect(fake.seen.some((each) => each.method === 'PATCH')).toBe(false);
  });

  it('writes nothing but dry runs', async () => {
    const fake = operatorCluster();
    expect(isPossible(await examine(fake.cluster, reference, 'delete', false))).toBe(true);
    expect(written(fake)).toEqual([]);
    expect(fake.seen.filter((each) => each.method === 'DELETE' || each.method === 'PATCH').length).toBe(3);
  });

  it('is refused where something stands against the cleanup', async () => {
    const fake = operatorCluster();
    fake.put(STATUS, statusOf({ blockers: [{ reason: 'NotOptedIn' }, { reason: 'SharedOwner', message: 'another one owns it' }] }));
    const examined = await examine(fake.cluster, reference, 'delete', false);
    expect(examined.refusal?.blockers.map((each) => each.reason)).toEqual(['SharedOwner']);
    expect((await examine(fake.cluster, reference, 'keep', false)).refusal).toBeUndefined();
  });

  it('is refused of copies, of authors who say nothing, and of what is being deleted otherwise', async () => {
    const copy = csvOf();
    copy.metadata.labels = { 'olm.copiedFrom': 'global' };
    const fake = operatorCluster();
    fake.put(`${CSVS}/db.v1`, copy);
    expect((await examine(fake.cluster, reference, 'asItIs', false)).refusal).toMatchObject({ reason: 'copy', detail: 'global' });
    const of = async (traits: Parameters<typeof csvOf>[0], wish: Wish) => (await examine(operatorCluster(traits).cluster, reference, wish, false)).refusal?.reason;
    expect(await of({ supported: false }, 'delete')).toBe('notSupported');
    expect(await of({ deleting: true }, 'delete')).toBe('deletingWithoutCleanup');
    expect(await of({ deleting: true, finalizers: [CLEANUP_FINALIZER] }, 'keep')).toBe('deletingWithCleanup');
  });
});
