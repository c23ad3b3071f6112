// Pages with all that they need around them. For tests.
import { configure, render } from '@testing-library/react';
import i18n from 'i18next';
import type { ReactElement } from 'react';
import { initReactI18next } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { HostContext } from '../host';
import { ClusterContext } from '../kube/hooks';
import { NAMESPACE } from '../shared/i18n';
import { standaloneHost } from '../standalone/host';
import type { FakeCluster } from './fakeCluster';

// Busy machines are slow.
configure({ asyncUtilTimeout: 4_000 });

void i18n.use(initReactI18next).init({
  lng: 'en',
  ns: [NAMESPACE],
  defaultNS: NAMESPACE,
  keySeparator: false,
  nsSeparator: '~',
  resources: { en: { [NAMESPACE]: {} } },
  interpolation: { escapeValue: false },
});

export function renderPage(page: ReactElement, fake: FakeCluster, address = '/') {
  return render(
    <MemoryRouter initialEntries={[address]}>
      <HostContext.Provider value={standaloneHost}>
        <ClusterContext.Provider value={fake.cluster}>{page}</ClusterContext.Provider>
      </HostContext.Provider>
    </MemoryRouter>,
  );
}
