import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../kube/errors';
import { FakeCluster } from '../testing/fakeCluster';
import { PREVIEWS } from '../testing/operator';
import { renderPage } from '../testing/render';
import { AskPreviewPage } from './AskPreviewPage';
import { PlanPreviewPanel } from './PlanPreviewPanel';

const page = <AskPreviewPage namespace="ops" />;
const steps = [{ index: 1, outcome: 'Create', kind: 'Role', namespace: 'ops', name: 'r', reason: 'Accepted', basis: 'DryRun', changes: [{ after: { a: 1 } }], warnings: ['deprecated'] }];
const answer = { metadata: {}, status: { conditions: [{ type: 'Executable', status: 'False', reason: 'NotApproved', message: 'wait' }], steps, hidden: 2, remaining: 3 } };
const asked = (fake: FakeCluster) => fake.seen.filter((each) => each.path === PREVIEWS && each.method === 'POST').map((each) => (each.body as { spec: unknown }).spec);
afterEach(cleanup);

async function ask() {
  const button = (await screen.findByTestId('steward-ask')) as HTMLButtonElement;
  await waitFor(() => expect(button.disabled).toBe(false));
  fireEvent.click(button);
}

describe('the page that asks a preview', () => {
  it('takes its subject from the address, and shows the answer', async () => {
    const fake = new FakeCluster();
    fake.rule('POST', PREVIEWS, answer);
    renderPage(page, fake, '/?subject=uninstall&name=db.v1&cleanup=true');
    await ask();
    const shown = await screen.findByTestId('steward-preview');
    expect(asked(fake)).toEqual([{ uninstall: { clusterServiceVersion: 'db.v1', cleanup: true } }]);
    for (const text of ['NotApproved', 'Role ops/r', 'deprecated', '2 steps are hidden', '3 more steps follow']) expect(shown.textContent).toContain(text);
    fireEvent.click(screen.getByText('The object'));
    await screen.findByText(/"a": 1/);
  });

  it('asks about manifests that are pasted', async () => {
    const fake = new FakeCluster();
    fake.rule('POST', PREVIEWS, answer);
    renderPage(page, fake, '/?subject=bundle');
    const area = document.querySelector('textarea') as HTMLTextAreaElement;
    fireEvent.change(area, { target: { value: 'a: [' } });
    await ask();
    await screen.findByText(/This is no YAML/);
    fireEvent.change(area, { target: { value: 'apiVersion: v1\nkind: A' } });
    await ask();
    await screen.findByTestId('steward-preview');
    expect(asked(fake)).toEqual([{ bundle: { manifests: [{ apiVersion: 'v1', kind: 'A' }] } }]);
  });

  it.each([
    [403, 'You may not ask this'],
    [404, 'What is asked about is not there, or the cluster answers no such questions'],
    [422, 'The question is not understood'],
    [429, 'Too many questions at a time'],
    [503, 'Nobody answers this now'],
  ])('shows %i as such', async (code, title) => {
    const fake = new FakeCluster();
    fake.rule('POST', PREVIEWS, new ApiError(code, '', 'the reason', 5, [{ field: 'spec.x', message: 'is wrong' }]));
    renderPage(page, fake, '/?subject=copiedCSVs&enabled=false');
    await ask();
    const failure = await screen.findByTestId('steward-failure');
    for (const text of [title, 'the reason', 'spec.x: is wrong', 'in 5 s']) expect(failure.textContent).toContain(text);
  });
});

describe('the preview of an InstallPlan', () => {
  it('follows that of the rules, and asks for a dry run when told to', async () => {
    const fake = new FakeCluster();
    fake.put(`${PREVIEWS}/p`, { metadata: { namespace: 'ops', name: 'p', uid: 'u' }, status: { steps: [{ index: 1, outcome: 'Blocked', kind: 'Role', name: 'r' }] } } as never);
    fake.rule('POST', PREVIEWS, answer);
    renderPage(<PlanPreviewPanel namespace="ops" name="p" />, fake);
    await screen.findByText('Blocked');
    expect(asked(fake)).toEqual([]);
    fireEvent.click(screen.getByTestId('steward-ask'));
    await screen.findByText('NotApproved');
    expect(asked(fake)).toEqual([{ installPlan: { name: 'p' } }]);
  });

  it('says which rights a dry run takes', async () => {
    const fake = new FakeCluster();
    fake.refusedAccess = new Set(['get installplans']);
    renderPage(<PlanPreviewPanel namespace="ops" name="p" />, fake);
    fireEvent.click(screen.getByTestId('steward-ask'));
    expect((await screen.findByTestId('steward-missing-rights')).textContent).toContain('get installplans');
  });
});
