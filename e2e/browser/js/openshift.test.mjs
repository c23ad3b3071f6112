// The plugin in the real OpenShift console.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browsing, eventually, kubectlJSON, kubectlWith } from './browser.mjs';
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
  forDevelopment: true,
  home: '#page-sidebar',
  own: {
    async begin(page) {
      await page.open(`${place('payments')}/core~v1~ConfigMap`);
      const section = await page.page.waitForSelector('#page-sidebar ::-p-text(Ecosystem)');
      if ((await page.page.$(site.own.link)) === null) await section.evaluate((each) => each.click());
    },
    ours: `#page-sidebar a[href$="${views}~InstalledOperator"]`,
    link: `#page-sidebar a[href$="${csvs}"]`,
    row: '[data-test-rows="resource-row"]',
  },
  // What the console's programs say by themselves, which lie under /static/: what they ask of OpenShift is not there. But not what React
  // says of a component of the plugin's.
  expected: [
    /^(?![\s\S]*\n\s+at [^\n]*\/api\/plugins\/steward\/)[\s\S]*\(http:[^)]*\/static\/[^)]*\)$/,
    /Failed to load resource: [\s\S]*\/api\/(kubernetes\/apis\/([a-z]+\.openshift\.io|packages\.operators|metal3\.io)|olm|console|graphql|prometheus|alertmanager)/,
    // What no page is there for is asked by the console's own page of details, too.
    /status of 404 [^\n]*\/installedoperators\/nobody\.v1\)/,
    // No console has exactly the versions that its SDK names.
    /Unsatisfied version .* of shared singleton module (@openshift-console|react-router)/,
    // The tooltip of a column's head, PatternFly's.
    /unique "key" prop[\s\S]*at button\n[^\n]*\n\s*at th\n/,
  ],
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

describe('only in the console', () => {
  let browser;
  let page;
  browsing(site, (...both) => ([browser, page] = both));

  test('the navigation leads to the operators of a project and to copies', async () => {
    await page.open(site.operators('payments'));
    await page.find('steward-row');
    const links = () => page.page.$$eval('#page-sidebar a', (all) => all.map((each) => [each.innerText.trim(), new URL(each.href).pathname]));
    const section = await page.page.waitForSelector('#page-sidebar ::-p-text(Ecosystem)');
    const open = async () => (await links()).some(([name]) => name === 'Copied CSVs');
    if (!(await open())) await section.click();
    await eventually(async () => {
      const all = Object.fromEntries(await links());
      assert.equal(all['Installed Operators of this project'], site.operators('payments'));
      assert.equal(all['Copied CSVs'], site.copies());
    });
  });

  test('a ClusterServiceVersion has a tab about its cleanup, and an action that uninstalls it', async () => {
    await page.open(`${place('databases')}/${csvs}/tidepool-postgres.v5.3.1`);
    const tab = await page.page.waitForSelector('::-p-aria([name="Cleanup"][role="tab"])');
    await tab.click();
    const { status } = await kubectlJSON('get', 'cleanupstatuses', '-n', 'databases', 'tidepool-postgres.v5.3.1');
    await page.says(status.phase);
    for (const { reason } of status.blockers ?? []) await page.says(reason);
    await page.click('button', 'Actions');
    // The menu is drawn anew when what the user may do is known.
    const item = () => page.page.waitForSelector('[role="menu"] ::-p-text(Uninstall with Steward…)').then((found) => found.click());
    await eventually(item);
    await page.page.waitForSelector('#steward-wish-delete');
    assert.equal(new URL(page.page.url()).pathname, site.uninstall('databases', 'tidepool-postgres.v5.3.1'));
  });

  test('without copies a tenant finds in the catalog what the operators of her project provide', async () => {
    const turn = (disableCopiedCSVs) =>
      kubectlWith(JSON.stringify({ apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', metadata: { name: 'cluster' }, spec: { features: { disableCopiedCSVs } } }), 'apply', '-f', '-');
    await turn(true);
    try {
      await eventually(async () => {
        const { items } = await kubectlJSON('get', 'csv', '-n', 'team-blue', '-l', 'olm.copiedFrom');
        assert.equal(items.length, 0);
      });
      const { items } = await kubectlJSON('get', 'installedoperators', '-n', 'team-blue');
      const provided = items.flatMap(({ spec }) => spec.customresourcedefinitions?.owned ?? []).map(({ displayName, kind }) => displayName ?? kind);
      assert.ok(provided.length > 0);
      const hers = await browser.page();
      await site.enter(hers, 'tenant');
      await hers.open('/catalog/ns/team-blue?catalogType=OperatorBackedService');
      for (const title of provided) await hers.says(title);
      await hers.close();
    } finally {
      await turn(false);
    }
  });
});

// The last of these uninstall what the others look at.
if (process.env.STEWARD_MEASURE) measures(site);
else pages(site);
