import { renderHook } from '@testing-library/react';
import { Provider } from 'react-redux';
import { createStore } from 'redux';
import { afterEach, expect, it, vi } from 'vitest';
import { installedOperators } from '../kube/models';
import { consoleCluster, useConsoleCluster } from './host';

vi.mock('@openshift-console/dynamic-plugin-sdk', () => ({ consoleFetch: vi.fn(), DocumentTitle: () => null }));
afterEach(() => vi.unstubAllGlobals());

it('watches as whom the user impersonates', () => {
  const asked: string[][] = [];
  vi.stubGlobal(
    'WebSocket',
    class {
      constructor(_address: URL, subprotocols: string[]) {
        asked.push(subprotocols);
      }
    },
  );
  const as = (impersonate?: { subprotocols: string[] }) =>
    renderHook(() => useConsoleCluster(), {
      wrapper: ({ children }) => <Provider store={createStore(() => ({ sdkCore: { impersonate } }))}>{children}</Provider>,
    }).result.current;
  expect(as()).toBe(consoleCluster);
  const tina = as({ subprotocols: ['Impersonate-User.dGluYQ'] });
  expect(tina).not.toBe(consoleCluster);
  expect(as({ subprotocols: ['Impersonate-User.dGluYQ'] })).toBe(tina);
  tina.watch(installedOperators, 'web', '5');
  consoleCluster.watch(installedOperators, 'web', '5');
  expect(asked).toEqual([['Impersonate-User.dGluYQ'], []]);
});
