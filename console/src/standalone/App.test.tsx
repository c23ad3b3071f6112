import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, it, vi } from 'vitest';
import '../testing/render';
import { App } from './App';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('tells that a session has ended of which a proxy knows', async () => {
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(
      path.endsWith('/console-config.json')
        ? Response.json({ authentication: 'header', version: 'v1' })
        : Response.json({ kind: 'Status', code: 401, reason: 'Unauthorized', message: 'who are you?' }, { status: 401 }),
    ),
  );
  render(
    <MemoryRouter initialEntries={['/ns/web/operators']}>
      <App />
    </MemoryRouter>,
  );
  await screen.findByText('Your session has ended');
  screen.getByText('Load this page again');
});
