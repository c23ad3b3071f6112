// A browser, and what tests ask of its pages.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import puppeteer from 'puppeteer-core';

const run = promisify(execFile);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// How long anything is waited for that has to come: a machine may be as slow as it is.
export const PATIENCE = 120_000;

/** kubectl as the administrator, or as whoever has the token. */
export async function kubectl(...args) {
  const { stdout } = await run('kubectl', args, { maxBuffer: 64 << 20 });
  return stdout;
}

/** kubectl with standard input. */
export function kubectlWith(input, ...args) {
  const running = run('kubectl', args, { maxBuffer: 64 << 20 });
  running.child.stdin.end(input);
  return running.then(({ stdout }) => stdout);
}

export async function kubectlJSON(...args) {
  return JSON.parse(await kubectl(...args, '-o', 'json'));
}

/** Asks whoever runs this test, who can stop and start programs. */
export async function ask(what) {
  const answer = await fetch(`${process.env.STEWARD_CONTROL}/${what}`, { method: 'POST' });
  assert.equal(answer.status, 200, await answer.text());
}

/** Polls until `check` returns without an error; returns the milliseconds that it took. */
export async function eventually(check, patience = PATIENCE) {
  const began = performance.now();
  for (;;) {
    try {
      await check();
      return performance.now() - began;
    } catch (error) {
      if (performance.now() - began > patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

export class Browser {
  static async start() {
    const browser = await puppeteer.launch({
      executablePath: process.env.STEWARD_CHROMIUM ?? '/usr/bin/chromium',
      headless: true,
      // Tests run as root in a container, where Chromium's own sandbox cannot.
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--window-size=1400,1000'],
      defaultViewport: { width: 1400, height: 1000 },
      protocolTimeout: PATIENCE,
    });
    return new Browser(browser);
  }

  constructor(browser) {
    this.browser = browser;
  }

  close() {
    return this.browser.close();
  }

  /** A page with a session of its own, whose log is kept. */
  async page() {
    const context = await this.browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    return new Page(page, context);
  }
}

/** Has a browser for the tests of a suite, with a page of `site` as its administrator sees it; `take` is told of both. */
export function browsing(site, take) {
  let browser;
  before(async () => {
    browser = await Browser.start();
    const page = await browser.page();
    await site.enter(page, 'admin');
    take(browser, page);
  });
  after(() => browser?.close());
}

export class Page {
  constructor(page, context) {
    this.page = page;
    this.context = context;
    this.log = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warn') this.log.push(`${message.type()}: ${message.text()} (${message.location().url ?? ''})`);
    });
    page.on('pageerror', (error) => this.log.push(`uncaught: ${error.stack ?? error}`));
  }

  close() {
    return this.context.close();
  }

  /** Opens a path of the site that `origin` is of. */
  open(path) {
    return this.page.goto(this.origin + path, { waitUntil: 'domcontentloaded' });
  }

  /** Waits for an element that tests know by its name. */
  find(name) {
    return this.page.waitForSelector(`[data-test="${name}"]`);
  }

  async text(name) {
    const element = await this.find(name);
    return element.evaluate((each) => each.textContent);
  }

  /** Waits for text anywhere on the page. */
  async says(text) {
    await this.page.waitForFunction((wanted) => document.body.innerText.includes(wanted), { polling: 50 }, text).catch(async (error) => {
      throw new Error(`the page does not say "${text}" but:\n${(await this.all()).slice(0, 3000)}`, { cause: error });
    });
  }

  all() {
    return this.page.evaluate(() => document.body.innerText);
  }

  /** The rows of the table of operators, cell by cell, by the columns' titles. */
  rows() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('[data-test="steward-row"]')].map((row) =>
        Object.fromEntries([...row.querySelectorAll('td')].map((cell) => [cell.getAttribute('data-label'), cell.innerText.trim()])),
      ),
    );
  }

  /** An element by its role and accessible name, as a screen reader finds it. */
  by(role, name) {
    return this.page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`);
  }

  /** Clicks an element once it is there, enabled, and stays where it is. */
  press(selector) {
    return this.page.locator(selector).click();
  }

  /** Asks for an uninstallation, and again where the page says that what would happen has changed meanwhile. */
  uninstall() {
    return eventually(async () => {
      await this.press('[data-test="steward-uninstall"]:not([disabled])');
      await this.page.waitForSelector('[data-test="steward-confirm"]', { timeout: 10_000 });
    });
  }

  click(role, name) {
    return this.press(`::-p-aria([name="${name}"][role="${role}"])`);
  }

  async type(role, name, text) {
    const element = await this.by(role, name);
    await element.click({ count: 3 });
    await element.type(text);
  }

  /** Fails where axe finds what keeps people from using the page. */
  async accessible(where, root = 'body') {
    await this.page.waitForSelector(root);
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate(
      (selector) => globalThis.axe.run(selector, { resultTypes: ['violations'] }),
      root,
    );
    const told = violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => `${node.html}\n  ${node.failureSummary}`).join('\n  ')}`);
    assert.deepEqual(told, [], `${where} is not accessible`);
  }

  /** Fails where the browser's log has an error; `expected` are those that a case makes on purpose. */
  quiet(expected = []) {
    const unexpected = this.log.filter((line) => !expected.some((each) => each.test(line)));
    if (unexpected.length > 0) assert.fail(`the browser's log says:\n${unexpected.join('\n')}`);
  }

  /** Keeps a picture, for documents, where somebody asked for them. */
  async picture(name) {
    const folder = process.env.STEWARD_PICTURES;
    if (folder) await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
  }
}
