import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../kube/errors';
import { CSV, operatorCluster, PREVIEWS, STATUS, statusOf } from '../testing/operator';
import { renderPage } from '../testing/render';
import { CleanupPanel } from './CleanupPanel';
import { CLEANUP_FINALIZER, hasOptIn } from './csv';
import type { ClusterServiceVersion } from './types';

const panel = <CleanupPanel namespace="ops" name="db.v1" />;
afterEach(cleanup);

describe('the panel of a cleanup', () => {
  it('says what would become of custom resources, and what stands against it', async () => {
    const fake = operatorCluster();
    fake.put(STATUS, statusOf({ phase: 'Refused', optedIn: true, blockers: [{ reason: 'SharedOwner', message: 'another one', objects: ['ops/x'], objectsElsewhere: 2 }] }));
    fake.rule('POST', PREVIEWS, { metadata: {}, status: { steps: [{ index: 1, outcome: 'Keep', kind: 'Cluster', namespace: 'shop', name: 'orders' }] } });
    renderPage(panel, fake);
    const blockers = await screen.findByTestId('steward-blockers');
    expect(blockers.textContent).toContain('SharedOwner');
    expect(blockers.textContent).toContain('ops/x');
    expect(blockers.textContent).toContain('2 more in other projects');
    expect((await screen.findByTestId('steward-would-be-deleted')).textContent).toContain('1 Cluster');
  });

  it('says why the cluster is not asked where the user may not', async () => {
    const fake = operatorCluster();
    fake.refusedAccess = new Set(['create planpreviews']);
    renderPage(panel, fake);
    expect((await screen.findByTestId('steward-missing-rights')).textContent).toContain('create planpreviews.views.operators.coreos.com (ops)');
    expect(fake.seen.some((each) => each.path === PREVIEWS)).toBe(false);
  });

  it('takes an opt-in back after a question', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER] });
    fake.rule('POST', PREVIEWS, { metadata: {}, status: { steps: [] } });
    renderPage(panel, fake);
    await screen.findByTestId('steward-abort');
    await waitFor(() => expect(screen.getByTestId('steward-abort').getAttribute('aria-disabled')).not.toBe('true'));
    fireEvent.click(screen.getByTestId('steward-abort'));
    fireEvent.click(within(await screen.findByRole('dialog')).getByTestId('steward-confirm'));
    await screen.findByTestId('steward-aborted');
    expect(hasOptIn(fake.objects.get(CSV) as ClusterServiceVersion)).toBe(false);
  });

  it('shows an abort that is not possible as such, with the reason', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER] });
    fake.refusedAccess = new Set(['patch clusterserviceversions']);
    renderPage(panel, fake);
    await screen.findByText('You may not change this ClusterServiceVersion.');
    expect(screen.getByTestId('steward-abort').getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(screen.getByTestId('steward-abort'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('follows a cleanup that is under way, and names a stall', async () => {
    const fake = operatorCluster();
    fake.refusedAccess = new Set(['get cleanupstatuses/pending']);
    const outlook = { optedIn: true, blockers: [], startedAt: '2026-11-29T12:00:00Z' };
    fake.put(STATUS, statusOf({ ...outlook, phase: 'Deleting', pendingCount: 4 }));
    renderPage(panel, fake);
    await waitFor(() => expect(screen.getByTestId('steward-progress').textContent).toContain('0 of 4 are gone'));
    fake.put(STATUS, statusOf({ ...outlook, phase: 'Stalled', pendingCount: 1, stalledSince: '2026-11-29T12:10:00Z' }));
    await waitFor(() => expect(screen.getByTestId('steward-progress').textContent).toContain('3 of 4 are gone'));
    expect(screen.getByTestId('steward-stalled')).toBeTruthy();
    expect(screen.getByTestId('steward-missing-rights').textContent).toContain('cleanupstatuses.views.operators.coreos.com/pending');
  });

  it('tells what is not there, and what may not be seen', async () => {
    const fake = operatorCluster();
    fake.remove(STATUS);
    renderPage(panel, fake);
    await screen.findByText('Steward knows of no cleanup');
    cleanup();
    fake.rule('GET', /cleanupstatuses$/, new ApiError(403, 'Forbidden', 'no'));
    renderPage(panel, fake);
    await screen.findByText('You may not see this');
  });
});
