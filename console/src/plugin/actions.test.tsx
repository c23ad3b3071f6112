import { describe, expect, it, vi } from 'vitest';
import { csvOf } from '../testing/operator';
import { findAdmin, whyNoUninstall } from './actions';

const may = vi.hoisted(() => vi.fn());
vi.mock('./host', () => ({ consoleCluster: { may }, consoleHost: {} }));

describe('the action of a menu', () => {
  it('is there unless the operator is a copy, or the user may not', () => {
    const copy = csvOf();
    copy.metadata.labels = { 'olm.copiedFrom': 'global' };
    expect(whyNoUninstall(csvOf(), { allowed: true, reason: '' })).toBeUndefined();
    expect(whyNoUninstall(csvOf(), { allowed: false, reason: '' })).toBe('forbidden');
    expect(whyNoUninstall(csvOf(), undefined)).toBe('unknown');
    expect(whyNoUninstall(copy, { allowed: true, reason: '' })).toBe('copy');
  });
});

describe('the flag of administrators', () => {
  const flagged = async () => {
    const set = vi.fn();
    findAdmin(set);
    await vi.waitFor(() => expect(set).toHaveBeenCalled());
    return set.mock.calls;
  };
  it('takes all rights, and is no where nobody answers', async () => {
    may.mockResolvedValue({ allowed: true, reason: '' });
    expect(await flagged()).toEqual([['STEWARD_ADMIN', true]]);
    may.mockResolvedValueOnce({ allowed: true, reason: '' }).mockResolvedValueOnce({ allowed: false, reason: '' });
    expect(await flagged()).toEqual([['STEWARD_ADMIN', false]]);
    may.mockRejectedValue(new Error('nobody'));
    expect(await flagged()).toEqual([['STEWARD_ADMIN', false]]);
  });
});
