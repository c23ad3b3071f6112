import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../kube/errors';
import { FakeCluster } from '../testing/fakeCluster';
import { renderPage } from '../testing/render';
import type { OlmConfig } from './choice';
import { CopiesPage } from './CopiesPage';

const PATH = '/apis/operators.coreos.com/v1/olmconfigs/cluster';
const CONFIGS = '/apis/operators.coreos.com/v1/olmconfigs';
afterEach(cleanup);

function clusterWith(config?: Partial<OlmConfig>): FakeCluster {
  const fake = new FakeCluster();
  if (config) fake.put(PATH, { metadata: { name: 'cluster', uid: 'config-1' }, ...config } as OlmConfig);
  fake.rule('POST', /planpreviews$/, { metadata: {}, status: { steps: [{ index: 1, outcome: 'Delete', kind: 'ClusterServiceVersion', namespace: 'blue', name: 'db.v1' }] } });
  return fake;
}

describe('the page of copies', () => {
  it('previews, asks, writes, and follows the condition', async () => {
    const fake = clusterWith({ spec: { features: {} } });
    renderPage(<CopiesPage />, fake);
    await screen.findByText('Copies are on');
    await screen.findByText(/ClusterServiceVersion blue\/db.v1/);
    await waitFor(() => expect(screen.getByTestId('steward-toggle-copies').getAttribute('aria-disabled')).not.toBe('true'));
    fireEvent.click(screen.getByTestId('steward-toggle-copies'));
    fireEvent.click(within(await screen.findByRole('dialog')).getByTestId('steward-confirm'));
    await screen.findByText('Copies are off');
    fake.put(PATH, {
      ...fake.objects.get(PATH),
      status: { conditions: [{ type: 'DisabledCopiedCSVs', status: 'True', reason: 'CopiedCSVsDisabled', message: 'none is left' }] },
    } as never);
    expect((await screen.findByTestId('steward-copies-condition')).textContent).toContain('none is left');
  });

  it('asks no other question when somebody else answers it meanwhile', async () => {
    const fake = clusterWith({ spec: { features: {} } });
    renderPage(<CopiesPage />, fake);
    await screen.findByText('Copies are on');
    await waitFor(() => expect(screen.getByTestId('steward-toggle-copies').getAttribute('aria-disabled')).not.toBe('true'));
    fireEvent.click(screen.getByTestId('steward-toggle-copies'));
    const dialog = await screen.findByRole('dialog');
    const config = fake.objects.get(PATH) as OlmConfig;
    fake.put(PATH, { ...config, spec: { features: { disableCopiedCSVs: true } } } as OlmConfig);
    await screen.findByText('Copies are off');
    expect(dialog.textContent).toContain('Turn copies off?');
    fireEvent.click(within(dialog).getByTestId('steward-confirm'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(fake.writes()).toEqual([]);
    expect((fake.objects.get(PATH) as OlmConfig).spec?.features).toEqual({ disableCopiedCSVs: true });
  });

  it('says what the user may not write', async () => {
    const fake = clusterWith();
    fake.refusedAccess = new Set(['create olmconfigs']);
    renderPage(<CopiesPage />, fake);
    await screen.findByText('You may not write the OLMConfig cluster.');
    await screen.findByText(/There is no OLMConfig cluster/);
    expect(screen.getByTestId('steward-toggle-copies').getAttribute('aria-disabled')).toBe('true');
  });

  it('tells of a cluster without OLMConfigs, and of one that does not show them', async () => {
    const fake = clusterWith();
    fake.rule('GET', CONFIGS, new ApiError(404, 'NotFound', 'no such kind'));
    renderPage(<CopiesPage />, fake);
    await screen.findByText('This cluster has no OLMConfigs');
    cleanup();
    fake.rule('GET', CONFIGS, new ApiError(403, 'Forbidden', 'no'));
    renderPage(<CopiesPage />, fake);
    await screen.findByText('You may not see this');
  });
});
