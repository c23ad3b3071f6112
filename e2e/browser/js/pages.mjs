// What Steward's pages promise, wherever they stand: a site says how to come to a page.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, Browser, eventually, kubectl, kubectlJSON } from './browser.mjs';

/** What `kubectl get installedoperators` says, as the list shows it. */
async function asKubectlSays(...where) {
  const { items } = await kubectlJSON('get', 'installedoperators', ...where);
  return items
    .map(({ metadata, spec, status, scope }) => ({
      name: `${spec.displayName}\n${metadata.name}`,
      version: spec.version,
      phase: status.phase,
      installed: scope.installNamespace,
      mode: scope.installMode ?? '',
      project: metadata.namespace,
    }))
    .sort(byName);
}

const byName = (a, b) => (`${a.name} ${a.project}` < `${b.name} ${b.project}` ? -1 : 1);

async function asShown(page) {
  const rows = await page.rows();
  return rows
    .map((row) => ({
      // The letter that stands for a missing icon is no part of the name.
      name: row.Name.split('\n').filter((line) => line.trim().length > 1).join('\n'),
      version: row.Version,
      phase: row.Phase,
      installed: row['Installed in'],
      mode: row.Mode,
      project: row.Project,
    }))
    .sort(byName);
}

/**
 * site: {name, operators(namespace), operator(namespace, name, tab), uninstall(namespace, name), askPreview(namespace), copies(),
 * enter(page, user), root, expected}. `enter` opens the site as a user; `root` is the part of the page that is Steward's; `expected` are
 * lines of the browser's log that are not Steward's.
 */
export function pages(site) {
  describe(`pages ${site.name}`, () => {
    let browser;
    let page;
    before(async () => {
      browser = await Browser.start();
      page = await browser.page();
      await site.enter(page, 'admin');
    });
    after(async () => {
      await browser?.close();
    });

    const go = (address) => page.open(address);
    const named = (name) => `${name} ${site.name}`;

    test(named('a list shows what kubectl shows'), async () => {
      await go(site.operators('payments'));
      await page.find('steward-row');
      const expected = (await asKubectlSays('-n', 'payments')).map((each) => ({ ...each, project: undefined }));
      assert.ok(expected.length >= 5);
      await eventually(async () => assert.deepEqual(await asShown(page), expected));
      await page.accessible('the list', site.root);
      await page.picture(`${site.file}-operators`);
    });

    test(named('a change by kubectl shows within a second'), async (t) => {
      await go(site.operators('web'));
      await page.find('steward-row');
      const took = [];
      for (const [label, there] of [
        ['monitored=true', true],
        ['monitored-', false],
      ]) {
        await kubectl('label', 'namespace', 'web', label);
        took.push(
          await eventually(async () => {
            const shown = (await page.rows()).some((row) => row.Name.includes('beacon-metrics'));
            assert.equal(shown, there);
          }),
        );
      }
      t.diagnostic(`shown ${took.map((each) => `${Math.round(each)} ms`).join(' and ')} after kubectl had ended`);
    });

    test(named('a list is filtered and sorted, and the address says how'), async () => {
      await go(site.operators('payments'));
      await page.find('steward-row');
      await page.type('textbox', 'Find by name or API', 'ledger');
      await eventually(async () => assert.equal((await page.rows()).length, 1));
      assert.match(page.page.url(), /name=ledger/);
      await go(`${site.operators('payments')}?phase=Failed`);
      await page.says('No operator matches');
      await go(site.operators('payments'));
      await page.find('steward-row');
      await page.click('button', 'Version');
      await eventually(async () => {
        const versions = (await page.rows()).map((row) => row.Version);
        assert.deepEqual(versions, [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
      });
    });

    test(named('all projects'), async () => {
      await go(site.operators());
      await page.find('steward-row');
      const expected = await asKubectlSays('-A');
      await eventually(async () => assert.deepEqual(await asShown(page), expected));
      await page.accessible('the list of all', site.root);
    });

    test(named('an operator says what it is and why it is here'), async () => {
      await go(site.operator('payments', 'tidepool-postgres.v5.3.1'));
      await page.says('Tidepool for PostgreSQL');
      assert.match(await page.text('steward-why'), /installed in the project databases.*targets several projects/s);
      await page.accessible('the page of an operator', site.root);
      await page.picture(`${site.file}-operator`);
    });

    test(named('instances of its APIs are those of kubectl'), async () => {
      await go(site.operator('shop-prod', 'tidepool-postgres.v5.3.1', 'resources'));
      const { items } = await kubectlJSON('get', 'postgresclusters.tidepool.example.com', '-n', 'shop-prod');
      for (const { metadata } of items) await page.by('link', metadata.name);
      await page.accessible('provided APIs', site.root);
    });

    test(named('events and YAML are those of kubectl'), async () => {
      await kubectl('create', '-f', await site.event('databases', 'tidepool-postgres.v5.3.1'));
      await go(site.operator('payments', 'tidepool-postgres.v5.3.1', 'events'));
      await page.says('for the test of the console');
      await page.accessible('events', site.root);
      await go(site.operator('payments', 'tidepool-postgres.v5.3.1', 'yaml'));
      const { metadata } = await kubectlJSON('get', 'installedoperators', '-n', 'payments', 'tidepool-postgres.v5.3.1');
      await page.says(`uid: ${metadata.uid}`);
    });

    test(named('an operator that is not there is said not to be'), async () => {
      await go(site.operator('payments', 'nobody.v1'));
      await page.says('This operator does not work here');
    });

    test(named('cleanup tells what kubectl tells'), async () => {
      await go(site.operator('shop-prod', 'tidepool-postgres.v5.3.1', 'cleanup'));
      const { status } = await kubectlJSON('get', 'cleanupstatuses', '-n', 'databases', 'tidepool-postgres.v5.3.1');
      await page.says(status.phase);
      for (const { reason } of status.blockers ?? []) await page.says(reason);
      await page.accessible('cleanup', site.root);
      await page.picture(`${site.file}-cleanup`);
    });

    test(named('Steward ends and comes back, and the page heals without a reload'), async () => {
      await go(site.operators('web'));
      await page.find('steward-row');
      await page.page.evaluate(() => {
        globalThis.notReloaded = true;
      });
      await ask('steward/stop');
      try {
        await page.find('steward-lost');
        assert.ok((await page.rows()).length > 0, 'what was there is gone');
        await page.accessible('a lost connection', site.root);
        await page.picture(`${site.file}-lost`);
      } finally {
        await ask('steward/start');
      }
      await eventually(async () => assert.equal(await page.page.$('[data-test="steward-lost"]'), null));
      await kubectl('label', 'namespace', 'web', 'monitored=true');
      await eventually(async () => assert.ok((await page.rows()).some((row) => row.Name.includes('beacon-metrics'))));
      await kubectl('label', 'namespace', 'web', 'monitored-');
      assert.equal(await page.page.evaluate(() => globalThis.notReloaded), true);
    });

    test(named('a tenant sees what she may'), async () => {
      const hers = await browser.page();
      await site.enter(hers, 'tenant');
      await hers.open(site.operators('team-blue'));
      await hers.find('steward-row');
      const expected = (await asKubectlSays('-n', 'team-blue')).map((each) => ({ ...each, project: undefined }));
      await eventually(async () => assert.deepEqual(await asShown(hers), expected));
      await hers.open(site.operators('databases'));
      await hers.says('You may not see this');
      await hers.accessible('what is forbidden', site.root);
      await hers.open(site.operator('team-blue', 'certloop.v1.8.2'));
      const button = await hers.by('button', 'Uninstall');
      assert.equal(await button.evaluate((each) => each.getAttribute('aria-disabled')), 'true');
      hers.quiet([/403/, ...site.expected]);
      await hers.close();
    });

    test(named('the dark theme is as legible'), async () => {
      const dark = await browser.page();
      await dark.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await site.enter(dark, 'admin');
      await dark.open(site.operators('payments'));
      await dark.find('steward-row');
      await dark.page.evaluate(() => document.documentElement.classList.add('pf-v6-theme-dark'));
      await dark.accessible('the list in the dark', site.root);
      await dark.picture(`${site.file}-dark`);
      await dark.open(site.operator('payments', 'tidepool-postgres.v5.3.1'));
      await dark.says('Why it is here');
      await dark.page.evaluate(() => document.documentElement.classList.add('pf-v6-theme-dark'));
      await dark.accessible('an operator in the dark', site.root);
      await dark.close();
    });

    test(named('the browser has nothing to complain of'), async () => {
      // While Steward was away, nobody could answer.
      page.quiet([/503|502|504|ERR_CONNECTION_REFUSED|WebSocket connection/, ...site.expected]);
    });
  });
}
