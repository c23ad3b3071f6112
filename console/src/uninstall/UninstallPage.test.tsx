import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLEANUP_FINALIZER } from '../cleanup/csv';
import { ApiError } from '../kube/errors';
import type { FakeCluster } from '../testing/fakeCluster';
import { becomesReady, CSV, CSVS, csvOf, operatorCluster, PREVIEWS, reference, STATUS, statusOf, SUBSCRIPTION } from '../testing/operator';
import { renderPage } from '../testing/render';
import { Memory } from './memory';
import { UninstallPage } from './UninstallPage';

const preview = {
  metadata: { namespace: 'ops' },
  status: {
    conditions: [{ type: 'Executable', status: 'True', reason: 'Allowed' }],
    steps: [
      { index: 1, outcome: 'Delete', kind: 'ClusterServiceVersion', group: 'operators.coreos.com', namespace: 'ops', name: 'db.v1', reason: 'DeletedByRequester' },
      { index: 2, outcome: 'Delete', kind: 'Cluster', group: 'db.example.com', namespace: 'shop', name: 'orders', reason: 'Accepted' },
    ],
  },
};

function show(fake: FakeCluster) {
  fake.rule('POST', PREVIEWS, preview);
  return renderPage(<UninstallPage namespace="ops" name="db.v1" />, fake);
}

const button = async () => (await screen.findByTestId('steward-uninstall')) as HTMLButtonElement;
const enabledButton = async () => {
  const found = await button();
  await waitFor(() => expect(found.disabled).toBe(false));
  return found;
};

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

describe('the page of an uninstallation', () => {
  it('asks, deletes what is kept, and follows it until it is gone', async () => {
    const fake = operatorCluster();
    show(fake);
    expect((await screen.findByTestId('steward-related')).textContent).toContain('Subscription db');
    expect(screen.getByTestId('steward-kept-related').textContent).toContain('other.v1');
    fireEvent.click(await enabledButton());
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).queryByTestId('steward-typed')).toBeNull();
    fireEvent.click(within(dialog).getByTestId('steward-confirm'));
    expect((await screen.findByTestId('steward-gone')).textContent).toContain('db.v1 is gone');
    expect(fake.objects.has(SUBSCRIPTION)).toBe(false);
  });

  it('has the name typed where custom resources go, and shows the cleanup to its end', async () => {
    const fake = operatorCluster();
    show(fake);
    fireEvent.click(await screen.findByLabelText('Delete them, while the operator can still finish them'));
    fireEvent.click(await enabledButton());
    const dialog = await screen.findByRole('dialog');
    const confirm = within(dialog).getByTestId('steward-confirm') as HTMLButtonElement;
    expect(confirm.disabled).toBe(true);
    fireEvent.change(within(dialog).getByTestId('steward-typed'), { target: { value: 'db.v' } });
    expect(confirm.disabled).toBe(true);
    fireEvent.change(within(dialog).getByTestId('steward-typed'), { target: { value: 'db.v1' } });
    expect(confirm.disabled).toBe(false);
    becomesReady(fake); // as soon as it is opted in
    fireEvent.click(confirm);
    expect((await screen.findByTestId('steward-following', {}, { timeout: 5_000 })).textContent).toContain('deletes its custom resources first');
    fake.remove(`/apis/db.example.com/v1/namespaces/shop/clusters/orders`);
    fake.remove(CSV);
    expect((await screen.findByTestId('steward-left')).textContent).toContain('So are the custom resources');
  });

  it('deletes no custom resources that were not shown', async () => {
    const fake = operatorCluster();
    show(fake);
    fake.rule('POST', PREVIEWS, new ApiError(503, 'ServiceUnavailable', 'nobody'));
    fireEvent.click(await screen.findByLabelText('Delete them, while the operator can still finish them'));
    await screen.findByText(/Nobody answers this now/);
    expect((await button()).disabled).toBe(true);
    fake.rule('POST', PREVIEWS, preview);
    fireEvent.click(screen.getByText('Try again'));
    fireEvent.click(await enabledButton());
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('2 objects go, as shown.');
    fireEvent.change(within(dialog).getByTestId('steward-typed'), { target: { value: 'db.v1' } });
    // OLM writes where it works now: that is another question.
    const asked = fake.seen.filter((each) => each.path === PREVIEWS).length;
    const wider = csvOf();
    wider.metadata.annotations = { 'olm.targetNamespaces': 'blue,shop' };
    fake.put(STATUS, statusOf({ targetNamespaces: ['blue', 'shop'] }));
    fake.put(CSV, wider);
    await screen.findByTestId('steward-changed');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await enabledButton();
    expect(fake.seen.filter((each) => each.path === PREVIEWS).length).toBeGreaterThan(asked);
    expect(fake.writes()).toEqual([]);
  });

  it('asks before it deletes what would install it again', async () => {
    const fake = operatorCluster({ deleting: true });
    show(fake);
    fireEvent.click(await screen.findByTestId('steward-go-on'));
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('Subscription db');
    expect(dialog.textContent).not.toContain('install-1');
    expect(fake.objects.has(SUBSCRIPTION)).toBe(true);
    fireEvent.click(within(dialog).getByTestId('steward-confirm'));
    await waitFor(() => expect(fake.objects.has(SUBSCRIPTION)).toBe(false));
  });

  it('says which rights are missing, and offers nothing then', async () => {
    const fake = operatorCluster();
    fake.refusedAccess = new Set(['delete clusterserviceversions']);
    show(fake);
    expect((await screen.findByTestId('steward-missing-rights')).textContent).toContain('delete clusterserviceversions.operators.coreos.com (ops)');
    expect((await button()).disabled).toBe(true);
  });

  it('says what the cluster refuses', async () => {
    const fake = operatorCluster();
    fake.rule('DELETE', CSV, new ApiError(403, 'Forbidden', 'a policy denies it'));
    show(fake);
    expect((await screen.findByTestId('steward-refused')).textContent).toContain('a policy denies it');
    expect((await button()).disabled).toBe(true);
  });

  it('does not offer a cleanup that the author does not support', async () => {
    show(operatorCluster({ supported: false }));
    expect(((await screen.findByLabelText('Delete them, while the operator can still finish them')) as HTMLInputElement).disabled).toBe(true);
  });

  it('says why custom resources cannot be downloaded', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER] });
    fake.refusedAccess = new Set(['list clusters']);
    show(fake);
    const download = await screen.findByTestId('steward-download');
    await screen.findByText(/You may not read them: list clusters.db.example.com \(shop\)/);
    expect(download.getAttribute('aria-disabled')).toBe('true');
  });

  it('shows where it is when it is opened again', async () => {
    const fake = operatorCluster({ finalizers: [CLEANUP_FINALIZER] });
    new Memory(reference).write({ uid: 'uid-1', wish: 'delete', optedIn: true, deletesOperands: true, agreed: { definitions: [], apis: {}, targets: ['shop'] } });
    show(fake);
    expect((await screen.findByTestId('steward-begun')).textContent).toContain('Nothing has been deleted');
    cleanup();
    fake.put(CSV, csvOf({ finalizers: [CLEANUP_FINALIZER], deleting: true }));
    fake.put(STATUS, statusOf({ optedIn: true, phase: 'Deleting', startedAt: '2026-11-29T12:00:00Z', pendingCount: 2, blockers: [] }));
    fake.rule('GET', `${STATUS}/pending`, {
      items: [{ group: 'db.example.com', kind: 'Cluster', plural: 'clusters', namespace: 'shop', name: 'orders', deletionTimestamp: '2026-11-29T12:00:00Z', finalizers: ['db/hold'] }],
      hidden: 1,
    });
    show(fake);
    expect((await screen.findByTestId('steward-following')).textContent).toContain('You may leave this page');
    expect((await screen.findByTestId('steward-pending')).textContent).toContain('1 held by db/hold');
    expect(screen.getByTestId('steward-progress').textContent).toContain('0 of 2 are gone');
  });

  it('leads from a copy to its original', async () => {
    const fake = operatorCluster();
    const copy = csvOf();
    copy.metadata.labels = { 'olm.copiedFrom': 'global' };
    fake.put(CSV, copy);
    show(fake);
    expect((await screen.findByRole('link', { name: 'Uninstall the original in global' })).getAttribute('href')).toBe('/ns/global/uninstall/db.v1');
  });

  it('tells what is not there, what may not be seen, and what does not answer', async () => {
    const fake = operatorCluster();
    fake.remove(CSV);
    show(fake);
    expect((await screen.findByTestId('steward-empty')).textContent).toContain('There is no such operator');
    cleanup();
    fake.rule('GET', CSVS, new ApiError(403, 'Forbidden', 'no'));
    show(fake);
    await screen.findByText('You may not see this');
    cleanup();
    fake.rule('GET', CSVS, new ApiError(503, 'ServiceUnavailable', 'nobody'));
    show(fake);
    await screen.findByText('Steward does not answer');
  });
});
