/** A page of the console, and what every test asks of one. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { KEYS, theWorld } from './world.ts';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const ARTIFACTS = fileURLToPath(new URL('../../../artifacts/console/', import.meta.url));

export interface Opening {
  readonly path: string;
  /** Signed in as Rita with this key; null: not at all. */
  readonly as?: keyof typeof KEYS | null;
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly language?: string;
  readonly zone?: string;
}

const pages: Page[] = [];

/** A profile of its own. What goes wrong in the page itself fails the test in {@link closePages}. */
export async function open({
  path,
  as = 'admin',
  scheme = 'light',
  width = 1280,
  height = 800,
  ...more
}: Opening): Promise<Page> {
  const { browser, dev } = theWorld();
  const page = await browser.newPage({
    baseURL: dev.url,
    viewport: { width, height },
    colorScheme: scheme,
    locale: more.language ?? 'en-GB',
    timezoneId: more.zone ?? 'America/Sao_Paulo',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(20_000);
  pages.push(page);
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(dev.url) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`it asked ${request.url()}`);
  });
  if (as !== null) await page.request.post('/v1/session', { data: { key: KEYS[as], by: 'Rita' } });
  await page.goto(path);
  return page;
}

const faults: string[] = [];

/** For `afterEach`. */
export async function closePages(): Promise<void> {
  for (const page of pages.splice(0)) await page.context().close();
  assert.deepEqual(faults.splice(0), []);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** axe, every rule of it. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()');
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(nodeText).join('\n')}`);
  assert.deepEqual(said, []);
}

function nodeText({ html, failureSummary = '' }: Violation['nodes'][number]): string {
  return `  ${html.slice(0, 200)}\n  ${failureSummary}`;
}

/** The pictures that the README and the guide show. */
const IN_DOCS = ['run-light', 'outcomes-light'];

/** Kept for people to look at: artifacts/console. With UPDATE_IMAGES set, those of the docs are made anew, too. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: `${ARTIFACTS}${name}.png` });
  if (process.env['UPDATE_IMAGES'] !== undefined && IN_DOCS.includes(name))
    copyFileSync(`${ARTIFACTS}${name}.png`, `${IMAGES}console-${name.replace('-light', '')}.png`);
}

/** No text stands beyond the window's edge, but in what is there to be scrolled sideways: filters, and the hours of a week. */
const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((one) => one.childElementCount === 0 && one.closest('.filters, .week, .stacks thead, .spoken') === null)
  .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1)
  .map((one) => one.textContent)`;

/** Nothing is cut off and nothing has to be scrolled sideways. */
export async function assertFits(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate<string[]>(CUT_OFF), []);
  const [inner, width] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, window.innerWidth]',
  );
  assert.ok(inner <= width, `the page is ${inner} px wide in a window of ${width}`);
}
