import { describe, expect, it } from 'vitest';
import { ApiError } from '../kube/errors';
import { FakeCluster } from '../testing/fakeCluster';
import { conditionOf, copiesBy, isCarriedOut, type OlmConfig } from './choice';
import { toggleCopies } from './toggle';

const PATH = '/apis/operators.coreos.com/v1/olmconfigs/cluster';

function configOf(features: Record<string, unknown> | undefined, condition?: { status: string; reason: string; message?: string }): OlmConfig {
  return {
    metadata: { name: 'cluster', uid: 'config-1' },
    spec: { features },
    status: condition ? { conditions: [{ type: 'DisabledCopiedCSVs', ...condition }] } : undefined,
  };
}

describe('the choice', () => {
  it.each([
    [undefined, 'on'],
    [configOf(undefined), 'on'],
    [configOf({ disableCopiedCSVs: true }), 'off'],
    [configOf({ disableCopiedCSVs: false, 'disable-copied-csvs': true }), 'on'],
    [configOf({ 'disable-copied-csvs': true }), 'off'],
    [configOf({ disableCopiedCSVs: 'yes' }), 'notUnderstood'],
    [configOf(undefined, { status: 'False', reason: 'CopiedCSVsDisabled' }), 'off'],
  ])('%j is %s', (config, copies) => expect(copiesBy(config)).toBe(copies));

  it('is carried out when the controllers say so', () => {
    const says = (status: string, reason: string, message = '') => configOf({}, { status, reason, message });
    expect(isCarriedOut(says('True', 'CopiedCSVsDisabled'), true)).toBe(true);
    expect(isCarriedOut(says('False', 'CopiedCSVsDisabled', 'Copied CSVs are disabled and at least one unexpected copied CSV was found'), true)).toBe(false);
    expect(isCarriedOut(says('False', 'CopiedCSVsEnabled', 'Copied CSVs are enabled and present across the cluster'), false)).toBe(true);
    expect(isCarriedOut(says('False', 'CopiedCSVsEnabled', 'Copied CSVs are enabled and at least one copied CSVs is missing'), false)).toBe(false);
    expect(isCarriedOut(undefined, true)).toBe(false);
    expect(conditionOf(configOf({}))).toBeUndefined();
  });
});

describe('the toggle', () => {
  it('merges, and takes the other spelling away', async () => {
    const fake = new FakeCluster();
    fake.put(PATH, configOf({ 'disable-copied-csvs': false }));
    expect(await toggleCopies(fake.cluster, true, false)).toBe('written');
    expect((fake.objects.get(PATH) as OlmConfig).spec?.features).toEqual({ disableCopiedCSVs: true });
    expect(fake.writes()[0]?.body).toMatchObject({ metadata: { uid: 'config-1', resourceVersion: expect.any(String) } });
  });
  it('creates an OLMConfig that is absent', async () => {
    const fake = new FakeCluster();
    expect(await toggleCopies(fake.cluster, true, undefined)).toBe('written');
    expect(fake.objects.get(PATH)).toMatchObject({ kind: 'OLMConfig', spec: { features: { disableCopiedCSVs: true } } });
  });
  it('writes nothing that is there already', async () => {
    const fake = new FakeCluster();
    fake.put(PATH, configOf({ disableCopiedCSVs: true }));
    expect(await toggleCopies(fake.cluster, true, false)).toBe('there');
    expect(fake.writes()).toEqual([]);
  });
  it('retries after a conflict, and leaves another choice alone', async () => {
    const fake = new FakeCluster();
    fake.put(PATH, configOf({}));
    let conflicts = 0;
    fake.rule('PATCH', PATH, () => (++conflicts === 1 ? new ApiError(409, 'Conflict', 'modified') : undefined));
    expect(await toggleCopies(fake.cluster, true, undefined)).toBe('written');
    const other = new FakeCluster();
    other.put(PATH, configOf({ disableCopiedCSVs: 'yes' }));
    await expect(toggleCopies(other.cluster, true, false)).rejects.toMatchObject({ code: 409 });
    expect(other.writes()).toEqual([]);
  });
  it('that is forbidden says so', async () => {
    const fake = new FakeCluster();
    fake.put(PATH, configOf({}));
    fake.rule('PATCH', PATH, new ApiError(403, 'Forbidden', 'no'));
    await expect(toggleCopies(fake.cluster, true, undefined)).rejects.toMatchObject({ code: 403 });
  });
});
