import { cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { ApiError } from '../kube/errors';
import { ClusterContext } from '../kube/hooks';
import { FakeCluster } from '../testing/fakeCluster';
import { dataUrl } from './dataUrl';
import { OperatorIcon } from './Icon';

afterEach(cleanup);

it('shows a picture by an address that is no page', async () => {
  const picture = new Blob(['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'], { type: 'image/svg+xml' });
  expect(await dataUrl(picture)).toMatch(/^data:image\/svg\+xml;base64,/);
});

it('takes nothing but pictures', async () => {
  expect(await dataUrl(new Blob(['<html>'], { type: 'text/html' }))).toBe('');
  expect(await dataUrl(new Blob([], { type: 'image/png' }))).toBe('');
});

it('asks once for an icon that is not there, and never where it is known that there is none', async () => {
  const fake = new FakeCluster();
  fake.rule('GET', /\/icon$/, new ApiError(404, 'NotFound', 'no icon'));
  const rows = (
    <ClusterContext.Provider value={fake.cluster}>
      {['web', 'shop'].map((namespace) => (
        <OperatorIcon key={namespace} namespace={namespace} name="db.v1" installNamespace="ops" version="1.0.0" displayName="Database" />
      ))}
      <OperatorIcon namespace="web" name="lamp.v1" installNamespace="ops" version="1.0.0" displayName="Lamp" none />
    </ClusterContext.Provider>
  );
  const shown = render(rows);
  await waitFor(() => expect(fake.seen).toHaveLength(1));
  shown.unmount();
  const again = render(rows);
  expect(again.container.textContent).toBe('DDL');
  expect(fake.seen.map((each) => each.path)).toEqual(['/apis/views.operators.coreos.com/v1alpha1/namespaces/web/installedoperators/db.v1/icon']);
});
