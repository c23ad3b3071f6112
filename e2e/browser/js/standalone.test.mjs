// The page of its own.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, eventually, kubectl } from './browser.mjs';
import { measures } from './measures.mjs';
import { pages } from './pages.mjs';

const origin = process.env.STEWARD_STANDALONE;
const tokens = { admin: process.env.STEWARD_ADMIN_TOKEN, editor: process.env.STEWARD_EDITOR_TOKEN, tenant: process.env.STEWARD_TENANT_TOKEN };
const encode = encodeURIComponent;

const site = {
  name: 'alone',
  file: 'standalone',
  root: '#main',
  expected: [],
  operators: (namespace) => (namespace === undefined ? '/operators' : `/ns/${encode(namespace)}/operators`),
  operator: (namespace, name, tab) => `/ns/${encode(namespace)}/operators/${encode(name)}${tab ? `?tab=${tab}` : ''}`,
  uninstall: (namespace, name) => `/ns/${encode(namespace)}/uninstall/${encode(name)}`,
  askPreview: (namespace, query) => `/ns/${encode(namespace)}/preview${query ? `?${query}` : ''}`,
  copies: () => '/copied-csvs',
  async enter(page, user) {
    page.origin = origin;
    await page.open('/');
    await (await page.page.waitForSelector('#token')).type(tokens[user]);
    await page.click('button', 'Log in');
    await page.page.waitForSelector('#main');
  },
};

describe('only alone', () => {
  test('nobody comes in without a token, nor with a wrong one', async () => {
    const browser = await Browser.start();
    try {
      const page = await browser.page();
      page.origin = origin;
      await page.open(site.operators('payments'));
      await page.says('Enter a token of yours');
      await page.accessible('the login');
      await (await page.page.waitForSelector('#token')).type('wrong');
      await page.click('button', 'Log in');
      await page.says('The cluster does not know this token');
    } finally {
      await browser.close();
    }
  });

  test('a custom resource is made from the example of its operator', async () => {
    const browser = await Browser.start();
    try {
      const page = await browser.page();
      await site.enter(page, 'admin');
      await page.open('/ns/shop-prod/create/tidepool.example.com/v1/postgresclusters/PostgresCluster?operator=tidepool-postgres.v5.3.1');
      const editor = await page.page.waitForSelector('#steward-create:not([disabled])');
      await page.accessible('the form');
      await editor.click({ count: 3 });
      await page.page.keyboard.down('Control');
      await page.page.keyboard.press('a');
      await page.page.keyboard.up('Control');
      const [cluster] = JSON.parse(await kubectl('get', 'postgresclusters.tidepool.example.com', '-n', 'shop-prod', '-o', 'json')).items;
      const object = { apiVersion: cluster.apiVersion, kind: cluster.kind, metadata: { name: 'from-the-page' }, spec: cluster.spec };
      await page.page.keyboard.sendCharacter(JSON.stringify(object));
      await page.click('button', 'Create');
      await page.by('link', 'from-the-page');
      await eventually(() => kubectl('get', 'postgresclusters.tidepool.example.com', '-n', 'shop-prod', 'from-the-page'));
    } finally {
      await browser.close();
    }
  });

  test('the page fetches nothing from elsewhere', async () => {
    const browser = await Browser.start();
    try {
      const page = await browser.page();
      const elsewhere = [];
      page.page.on('request', (request) => {
        const { protocol, origin: of } = new URL(request.url());
        if (protocol.startsWith('http') && of !== origin) elsewhere.push(request.url());
      });
      await site.enter(page, 'admin');
      await page.open(site.operator('payments', 'tidepool-postgres.v5.3.1'));
      await page.says('Why it is here');
      assert.deepEqual(elsewhere, []);
      page.quiet();
    } finally {
      await browser.close();
    }
  });
});

// The last of these uninstall what the others look at.
if (process.env.STEWARD_MEASURE) measures(site);
else pages(site);
