// The plugin in the real OpenShift console.

import { measures } from './measures.mjs';
import { pages } from './pages.mjs';

// One console for each user: whose it is, is who it says it is.
const origins = JSON.parse(process.env.STEWARD_OPENSHIFT);
const encode = encodeURIComponent;
const views = 'views.operators.coreos.com~v1alpha1';
const csvs = 'operators.coreos.com~v1alpha1~ClusterServiceVersion';
const place = (namespace) => (namespace === undefined ? '/k8s/all-namespaces' : `/k8s/ns/${encode(namespace)}`);

const site = {
  name: 'in the console',
  file: 'console',
  root: '#content-scrollable',
  home: '#page-sidebar',
  own: { operators: (namespace) => `${place(namespace)}/${csvs}`, row: '[data-test-rows="resource-row"]' },
  // What the console asks of OpenShift, which is not there, and its own warnings.
  expected: [],
  operators: (namespace) => `${place(namespace)}/${views}~InstalledOperator`,
  operator: (namespace, name, tab) => `${place(namespace)}/${views}~InstalledOperator/${encode(name)}${tab ? `?tab=${tab}` : ''}`,
  uninstall: (namespace, name) => `/steward/uninstall/ns/${encode(namespace)}/${encode(name)}`,
  askPreview: (namespace, query) => `${place(namespace)}/${views}~PlanPreview/~new${query ? `?${query}` : ''}`,
  copies: () => '/steward/copied-csvs',
  async enter(page, user) {
    page.origin = origins[user];
    await page.open('/');
    await page.page.waitForSelector(site.home);
  },
};

measures(site);
// The last of these uninstall what the others look at.
pages(site);
