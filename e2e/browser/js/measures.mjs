// What the pages take with many operators, where somebody asks for it: STEWARD_MEASURE=1, on a machine that does nothing else.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ask, browsing, eventually } from './browser.mjs';

const SCROLLED_FOR = 5000; // milliseconds
const NAVIGATIONS = 5;

const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];

/** What the browser does while the table of operators scrolls: the frames that it draws per second, and what takes its time. */
async function scrolled(page) {
  await page.tracing.start({ categories: ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.frame'] });
  await page.evaluate(async (duration) => {
    const scroller = document.querySelector('[data-test="steward-scroller"]');
    const began = performance.now();
    for (;;) {
      const now = await new Promise(requestAnimationFrame);
      if (now - began > duration) return;
      // As fast as somebody who looks for something: 40 rows each second.
      scroller.scrollTop += (40 * 57) / 60;
    }
  }, SCROLLED_FOR);
  const { traceEvents } = JSON.parse(Buffer.from(await page.tracing.stop()).toString());
  const spent = new Map();
  for (const { name, dur = 0 } of traceEvents) spent.set(name, (spent.get(name) ?? 0) + dur / 1000);
  const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, 6);
  return {
    frames: traceEvents.filter(({ name }) => name === 'DrawFrame').length / (SCROLLED_FOR / 1000),
    spent: most.map(([name, milliseconds]) => `${name} ${Math.round(milliseconds)} ms`).join(', '),
  };
}

/**
 * site: as of pages. `forDevelopment` is true where React is not the one that users get. `own` is the site's own list of the operators of a
 * project, if it has one: `begin` goes to a page from which the links `ours` and `link` lead to both lists; its rows are `row`.
 */
export function measures(site) {
  describe(`measured ${site.name}`, () => {
    let page;
    before(() => ask('crowd'));
    browsing(site, (_, entered) => (page = entered));

    test(`10,000 rows scroll at 50 frames a second ${site.name}`, async (t) => {
      await page.open(site.operators());
      let count = 0;
      await eventually(async () => {
        count = Number.parseInt((await page.text('steward-count')).replaceAll(/\D/g, ''), 10);
        assert.ok(count >= 10_000, `${count} rows`);
      });
      const there = (await page.rows()).length;
      assert.ok(there < 100, `${there} rows are in the document`);
      const { frames, spent } = await scrolled(page.page);
      t.diagnostic(`${count} rows, ${there} of them in the document: ${frames.toFixed(1)} frames a second; ${spent}`);
      // A console that is built for development spends most of it in React's checks.
      if (!site.forDevelopment) assert.ok(frames >= 50, `${frames} frames a second`);
    });

    test(`the rows of 500 operators are there as soon as in the console's own page ${site.name}`, { skip: site.own ? false : 'no page to compare with' }, async (t) => {
      const until = async (link, rows) => {
        const took = [];
        for (let i = 0; i < NAVIGATIONS; ++i) {
          await site.own.begin(page);
          const found = await page.page.waitForSelector(link);
          const began = performance.now();
          await found.evaluate((each) => each.click());
          await page.page.waitForFunction((selector) => document.querySelectorAll(selector).length > 5, { polling: 'raf' }, rows);
          took.push(performance.now() - began);
        }
        return median(took);
      };
      const ours = await until(site.own.ours, '[data-test="steward-row"]');
      const theirs = await until(site.own.link, site.own.row);
      t.diagnostic(`${Math.round(ours)} ms, and ${Math.round(theirs)} ms in the console's own page: ${(ours / theirs).toFixed(2)}`);
    });
  });
}
