// What Steward's pages promise, wherever they stand: a site says how to come to a page.

import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { ask, browsing, eventually, kubectl, kubectlJSON, kubectlWith } from './browser.mjs';

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

/** A file with an Event about an operator, as OLM writes them. */
async function event(namespace, name) {
  const file = path.join(await fs.mkdtemp(path.join(os.tmpdir(), 'steward-event-')), 'event.json');
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  await fs.writeFile(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: 'console-', namespace },
      involvedObject: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', namespace, name },
      type: 'Normal',
      reason: 'Tested',
      message: 'for the test of the console',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    }),
  );
  return file;
}

/** As the page writes an outcome. */
const spaced = (outcome) => (outcome === 'NotCreated' ? 'Not created' : outcome);

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
 * site: {name, operators(namespace), operator(namespace, name, tab), uninstall(namespace, name), askPreview(namespace, query), copies(),
 * enter(page, user), root, expected}. `enter` opens the site as a user; `root` is the part of the page that is Steward's; `expected` are
 * lines of the browser's log that are not Steward's.
 */
export function pages(site) {
  describe(`pages ${site.name}`, () => {
    let browser;
    let page;
    browsing(site, (...both) => ([browser, page] = both));

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
      await kubectl('create', '-f', await event('databases', 'tidepool-postgres.v5.3.1'));
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

    test(named('an editor may do in her projects what she may with kubectl'), async () => {
      const hers = await browser.page();
      await site.enter(hers, 'editor');
      await hers.open(site.operator('databases', 'tidepool-postgres.v5.3.1'));
      await hers.click('link', 'Uninstall');
      // What she may not see of the cluster is said, and stands against nothing that she may do.
      await hers.page.waitForSelector('[data-test="steward-uninstall"]:not([disabled])');
      await hers.open(site.operators());
      await hers.says('You may not see this');
      await hers.open(site.copies());
      await hers.says('You may not');
      await hers.accessible('what an editor may not', site.root);
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

    test(named('an InstallPlan is previewed as kubectl would be told'), async () => {
      await go(site.askPreview('monitoring', 'subject=installPlan&name=install-beacon'));
      const button = await page.find('steward-ask');
      await page.accessible('the form of a preview', site.root);
      await button.click();
      const asked = JSON.stringify({
        apiVersion: 'views.operators.coreos.com/v1alpha1',
        kind: 'PlanPreview',
        metadata: { namespace: 'monitoring' },
        spec: { installPlan: { name: 'install-beacon' } },
      });
      const { status } = JSON.parse(await kubectlWith(asked, 'create', '-o', 'json', '-f', '-'));
      await page.says(status.conditions[0].reason);
      await eventually(async () => {
        const rows = await page.rows();
        assert.deepEqual(
          rows.map((row) => [row.Step, row.Outcome, row.Reason]),
          status.steps.map((step) => [String(step.index), spaced(step.outcome), step.reason]),
        );
      });
      await page.accessible('a preview', site.root);
      await page.picture(`${site.file}-preview`);
    });

    test(named('the preview of an InstallPlan changes with the cluster'), async () => {
      await go(site.askPreview('monitoring', 'subject=installPlan&name=install-beacon'));
      await page.click('link', 'Its preview as it changes, by rules alone');
      await page.says('Preview of this InstallPlan');
      const { status } = await kubectlJSON('get', 'planpreviews', '-n', 'monitoring', 'install-beacon');
      await page.says(status.conditions[0].reason);
      await page.accessible('the preview of an InstallPlan', site.root);
      const [{ metadata: group }] = (await kubectlJSON('get', 'operatorgroups', '-n', 'monitoring')).items;
      const account = (name) => kubectl('patch', 'operatorgroup', '-n', 'monitoring', group.name, '--type=merge', '-p', JSON.stringify({ spec: { serviceAccountName: name } }));
      await account('deployer');
      try {
        await page.says('AccountUnknown');
      } finally {
        await account(null);
      }
    });

    test(named('a bundle is previewed, and what is wrong with it is said'), async () => {
      await go(site.askPreview('monitoring', 'subject=bundle'));
      const field = await page.page.waitForSelector('textarea');
      await field.click();
      await page.page.keyboard.sendCharacter('kind: [');
      await page.press('[data-test="steward-ask"]');
      await page.page.waitForFunction(() => document.querySelector('textarea')?.getAttribute('aria-invalid') === 'true' || /line|YAML/i.test(document.body.innerText));
    });

    test(named('copies are turned off and on'), async () => {
      await go(site.copies());
      await page.find('steward-toggle-copies');
      await page.find('steward-preview');
      await page.accessible('copies', site.root);
      await page.picture(`${site.file}-copies`);
      for (const off of [true, false]) {
        await page.says(off ? 'Copies are on' : 'Copies are off');
        await page.find('steward-preview');
        await page.page.waitForSelector('[data-test="steward-toggle-copies"]:not([aria-disabled="true"])');
        await page.press('[data-test="steward-toggle-copies"]');
        await page.accessible('the question about copies', '.pf-v6-c-modal-box');
        await page.press('[data-test="steward-confirm"]');
        await eventually(async () => {
          const { spec } = await kubectlJSON('get', 'olmconfigs', 'cluster');
          assert.equal(spec?.features?.disableCopiedCSVs ?? false, off);
        });
      }
      await page.says('Copies are on');
    });

    test(named('an opt-in to cleanup is taken back'), async () => {
      const csv = ['csv', '-n', 'databases', 'tidepool-postgres.v5.3.1'];
      const finalizers = async () => (await kubectlJSON('get', ...csv)).metadata.finalizers ?? [];
      const opted = [...(await finalizers()), 'operatorframework.io/delete-custom-resources'];
      await kubectl('patch', ...csv, '--type=merge', '-p', JSON.stringify({ metadata: { finalizers: opted } }));
      await go(site.operator('shop-prod', 'tidepool-postgres.v5.3.1', 'cleanup'));
      await page.press('[data-test="steward-abort"]:not([aria-disabled="true"])');
      await page.press('[data-test="steward-confirm"]');
      await page.says('The opt-in to cleanup is removed');
      await eventually(async () => assert.ok(!(await finalizers()).includes('operatorframework.io/delete-custom-resources')));
    });

    test(named('an uninstallation keeps what is to be kept'), async () => {
      const [queue] = (await kubectlJSON('get', 'queues.ledger.example.com', '-A')).items;
      await go(site.uninstall('payments-operators', 'ledger-queue.v1.0.3'));
      await page.press('#steward-wish-keep');
      await page.uninstall();
      await page.press('[data-test="steward-confirm"]:not([disabled])');
      await page.find('steward-gone');
      await assert.rejects(kubectl('get', 'csv', '-n', 'payments-operators', 'ledger-queue.v1.0.3'), /NotFound/);
      const { metadata } = await kubectlJSON('get', 'queues.ledger.example.com', '-n', queue.metadata.namespace, queue.metadata.name);
      assert.equal(metadata.uid, queue.metadata.uid);
      assert.equal(metadata.deletionTimestamp, undefined);
    });

    test(named('a cleanup that hangs names who holds it, and is aborted'), async () => {
      await go(site.uninstall('research', 'sandbox-notebooks.v0.4.0'));
      await page.press('#steward-wish-delete');
      await page.page.waitForSelector('[data-test="steward-uninstall"]:not([disabled])');
      await page.accessible('the form of an uninstallation', site.root);
      await page.picture(`${site.file}-uninstall`);
      await page.uninstall();
      const confirm = await page.find('steward-confirm');
      assert.equal(await confirm.evaluate((each) => each.disabled), true, 'nothing was typed');
      await (await page.find('steward-typed')).type('sandbox-notebooks.v0.4.0');
      await page.accessible('the question before an uninstallation', '.pf-v6-c-modal-box');
      await page.press('[data-test="steward-confirm"]:not([disabled])');
      await page.says('sandbox.example.com/hangs');
      await page.accessible('a cleanup that hangs', site.root);
      await page.picture(`${site.file}-hangs`);
      const { status } = await kubectlJSON('get', 'cleanupstatuses', '-n', 'research', 'sandbox-notebooks.v0.4.0');
      assert.ok(status.pendingCount > 0);
      await page.press('[data-test="steward-abort"]:not([aria-disabled="true"])');
      await page.press('[data-test="steward-confirm"]');
      await page.find('steward-gone');
      await assert.rejects(kubectl('get', 'csv', '-n', 'research', 'sandbox-notebooks.v0.4.0'), /NotFound/);
      const { items } = await kubectlJSON('get', 'notebooks.sandbox.example.com', '-n', 'research');
      assert.ok(items.length > 0, 'what was to stay is gone');
    });

    test(named('an uninstallation with cleanup deletes what was shown, and nothing else'), async () => {
      const kinds = 'postgresclusters.tidepool.example.com,postgresbackups.tidepool.example.com,storageprofiles.tidepool.example.com';
      await go(site.uninstall('databases', 'tidepool-postgres.v5.3.1'));
      await page.press('#steward-wish-delete');
      await page.page.waitForSelector('[data-test="steward-uninstall"]:not([disabled])');
      const before = await kubectlJSON('get', kinds, '-A');
      assert.ok(before.items.length > 3);
      // What is shown, kind by kind.
      const shown = (await page.text('steward-would-be-deleted')).replaceAll(/\s+/g, ' ');
      const going = before.items.filter(({ kind }) => kind !== 'StorageProfile');
      for (const kind of new Set(going.map((item) => item.kind))) {
        const count = going.filter((item) => item.kind === kind && item.metadata.namespace === 'shop-prod').length;
        if (count > 0) assert.match(shown, new RegExp(`Delete ?${count} ${kind} ?shop-prod`));
      }
      await page.press('[data-test="steward-download"]:not([aria-disabled="true"])');
      await page.says('custom resources are saved');
      await page.uninstall();
      await (await page.find('steward-typed')).type('tidepool-postgres.v5.3.1');
      await page.press('[data-test="steward-confirm"]:not([disabled])');
      await page.find('steward-gone');
      await page.says('So are the custom resources that were to be deleted');
      await assert.rejects(kubectl('get', 'csv', '-n', 'databases', 'tidepool-postgres.v5.3.1'), /NotFound/);
      const left = await kubectlJSON('get', kinds, '-A');
      const uids = (items) => items.map(({ metadata }) => metadata.uid).sort();
      assert.deepEqual(uids(left.items), uids(before.items.filter(({ kind }) => kind === 'StorageProfile')));
    });

    test(named('the browser has nothing to complain of'), async () => {
      // While Steward was away, nobody could answer.
      // And what waits for nothing any more has nothing pending; an OLMConfig that is not there is asked for before it is
      // made, and written again when a controller was faster.
      page.quiet([/status of (429|50\d)|ERR_|WebSocket connection/, /404 .*(\/pending\?|\/olmconfigs\/cluster)/, /409 .*\/olmconfigs\/cluster/,
        // What is asked of an operator that goes in that moment.
        /404 .*\/payments-operators\/(clusterserviceversions\/ledger-queue|planpreviews\))/, ...site.expected]);
    });
  });
}
