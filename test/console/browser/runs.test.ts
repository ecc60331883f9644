/** The list of runs in a real browser: finding, reading on, selecting, and acting on many. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { asleep } from '../../support/tenant-api.ts';
import { until } from '../../support/until.ts';
import { closePages, open, shoot } from './page.ts';
import { theWorld } from './world.ts';

const RUNS = '/t/demo/runs';

describe('the list of runs', () => {
  afterEach(closePages);

  it('shows who, what and when next, with trouble first', async () => {
    const page = await open({ path: RUNS });
    const rows = page.locator('tbody tr[data-at]');
    await rows.first().waitFor();
    assert.match(await rows.first().innerText(), /Helena Cruz[\s\S]*gate[\s\S]*failing[\s\S]*retries/);
    assert.match(await page.locator('tr', { hasText: 'Bruno Sá' }).innerText(), /paused/);
    assert.match(await page.locator('tr', { hasText: 'Carla Reis' }).innerText(), /a human replied/);
  });

  it('is asked for at once, while the page is still read and the server says who asks, and before what stands beside it', async () => {
    const page = await open({ path: '/t/demo/nowhere' });
    await page.getByRole('link', { name: 'Go to the runs' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/')) asked.push(pathname.replace('/v1/tenants/demo', ''));
    });
    // Who waits for the session before asking for the list never gets either.
    await page.route('**/v1/session', async (route) => {
      await until('the list', () => asked.includes('/runs'));
      await route.continue();
    });
    // Nor does who waits for the page's own script.
    await page.route('**/assets/index-*.js', async (route) => {
      await until('the list', () => asked.includes('/runs'));
      await route.continue();
    });
    await page.goto(RUNS);
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
    await until('the counts', () => asked.includes('/runs/counts'));
    assert.equal(asked.filter((path) => path === '/runs').length, 1);
    assert.ok(asked.indexOf('/runs') < asked.indexOf('/runs/counts'), asked.join(' '));
  });

  it('narrows by what the address says, and says it in the address', async () => {
    const page = await open({ path: RUNS });
    await page.getByLabel('status').selectOption('EXITED_ON_OUTBOUND');
    await page.waitForURL(/status=EXITED_ON_OUTBOUND/);
    await page.getByRole('link', { name: 'Carla Reis' }).waitFor();
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Carla Reis' }).waitFor();
    assert.equal(await page.getByLabel('status').inputValue(), 'EXITED_ON_OUTBOUND');
    await page.getByRole('button', { name: 'Show every run' }).click();
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
  });

  it('finds a contact by name from any screen, and says what to press when nobody fits', async () => {
    const page = await open({ path: '/t/demo/health' });
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('elisa');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Elisa Prado' }).waitFor();
    assert.equal(await page.locator('tbody tr[data-at]').count(), 1);
    await page.getByRole('searchbox').fill('nobody at all');
    await page.getByText('No run fits these filters').waitFor();
    await page.getByRole('link', { name: 'Show every run' }).click();
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
  });

  it('says “new” instead of moving what is being looked at', async () => {
    const { api } = theWorld();
    const page = await open({ path: RUNS });
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
    const before = await page.locator('tbody th').allInnerTexts();
    await api.attach('newcomer');
    const pill = page.getByRole('button', { name: '1 new' });
    await pill.waitFor();
    assert.deepEqual(await page.locator('tbody th').allInnerTexts(), before);
    await pill.click();
    await page.locator('tr.fresh', { hasText: 'Conversation newcomer' }).waitFor();
    await api.act('newcomer', 'detach');
  });

  it('goes by the keys alone: down, up, select, open, close', async () => {
    const page = await open({ path: RUNS });
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    const first = page.locator('tbody tr[data-at="0"]');
    const before = await first.boundingBox();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    assert.ok(await first.locator('input').isChecked());
    assert.deepEqual(await first.boundingBox(), before, 'what may be done with it moved the list');
    await page.keyboard.press('a');
    await page.locator('button:focus', { hasText: 'Pause…' }).waitFor();
    await page.keyboard.press('k');
    await first.locator('a:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Helena Cruz/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: /Helena Cruz/ }).waitFor({ state: 'detached' });
    await page.locator('a:focus', { hasText: 'Helena Cruz' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.locator('main:focus').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  });

  it('begins at the first run in view, and keeps in view what is opened', async () => {
    const page = await open({ path: RUNS, height: 420 });
    const list = page.locator('.rows');
    const isInView = async (row: Locator) => {
      const [one, around] = [await row.boundingBox(), await list.boundingBox()];
      const heading = await page.locator('.runs thead th').first().boundingBox();
      if (one === null || around === null || heading === null) return false;
      return one.y >= heading.y + heading.height - 1 && one.y + one.height <= around.y + around.height + 1;
    };
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
    // Two rows and a half further down.
    await page.evaluate("document.querySelector('.rows').scrollTo(0, 100)");
    await page.keyboard.press('j');
    await page.locator('tr[data-at="3"][data-current] a:focus').waitFor();
    assert.ok(await isInView(page.locator('tr[data-at="3"]')));
    for (let n = 0; n < 5; n += 1) await page.keyboard.press('j');
    await page.locator('tr[data-at="8"][data-current] a:focus').waitFor();
    assert.ok(await isInView(page.locator('tr[data-at="8"]')));
    await page.keyboard.press('Enter');
    await page.locator('.run h2:focus').waitFor();
    // The filters have less room, and more lines, beside it.
    await until('the open row in view', async () => isInView(page.locator('tr[data-open]')));
  });

  it('shows the whole of what each does and when it wakes next beside an open run, in both languages', async () => {
    for (const [language, width] of [
      ['en-GB', 1024],
      ['pt-BR', 1024],
      ['pt-BR', 1400],
    ] as const) {
      const page = await open({ path: `${RUNS}/conversation/1/answering`, width, language });
      await page.locator('tbody tr[data-open]').waitFor();
      await page.locator('.run h2').waitFor();
      await shoot(page, `beside-${language}-${width}`);
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('td.next, td .doing')]
          .filter((cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight)
          .map((cell) => cell.textContent)`,
      );
      assert.deepEqual(cut, []);
    }
  });

  it('tells runs about the same apart, also where the agent has no column', async () => {
    const { api } = theWorld();
    for (const id of ['twin-1', 'f3b1c2d4-0000-4000-8000-00000twin-2']) {
      await api.post('/events', {
        ...{ id: `opened-${id}`, source: 'test', type: 'conversation.opened', time: '2026-01-01T00:00:00Z' },
        subject: `conversation/${id}`,
        data: { contact: { address: `customer-${id}`, name: 'Rosa Twin', timeZone: 'America/Sao_Paulo' } },
      });
      await api.attach(id);
    }
    for (const width of [360, 1280]) {
      const page = await open({ path: `${RUNS}?q=twin`, width });
      for (const which of ['twin-1', 'f3b1c2…00twin-2'])
        await page.getByRole('link', { name: `Rosa Twin ${which}` }).waitFor();
      await shoot(page, `twins-${width}`);
      await page.goto(`${RUNS}?agent=shelf`);
      for (const slot of ['shelf-a', 'shelf-b'])
        await page.getByRole('link', { name: `The business ${slot}` }).waitFor();
    }
    for (const id of ['twin-1', 'f3b1c2d4-0000-4000-8000-00000twin-2']) await api.act(id, 'detach');
  });

  it('marks one line as open where the address names no attachment: the latest', async () => {
    const { api } = theWorld();
    await api.attach('twice');
    await api.act('twice', 'detach');
    await api.runWhen('twice', 'over', ({ status }) => status === 'REMOVED_BY_USER');
    await api.attach('twice');
    const page = await open({ path: `${RUNS}/conversation/twice/answering?q=twice` });
    await page.locator('tr[data-status="REMOVED_BY_USER"]').waitFor();
    await page.locator('tr[data-open][data-status="IN_PROGRESS"]').waitFor();
    assert.equal(await page.locator('tr[data-open]').count(), 1);
    await page.keyboard.press('t');
    await page.getByRole('dialog', { name: /Take over/ }).waitFor();
    await page.keyboard.press('Escape');
    const [list, last] = [await page.locator('.filters').boundingBox(), await page.getByLabel('cost').boundingBox()];
    assert.ok(
      list !== null && last !== null && last.x + last.width <= list.x + list.width,
      'its last filter is cut off',
    );
    await api.act('twice', 'detach');
  });

  it('says how many an act on many touches, wants that number typed, and gives a receipt', async () => {
    const { api } = theWorld();
    const page = await open({ path: RUNS });
    for (const name of ['Fábio Luz', 'Gina Alves', 'Carla Reis'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Detach…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Detach…' }).click();
    await dialog.getByText('This touches 2 live runs. 1 has ended and is left alone.').waitFor();
    await dialog.getByLabel(/Why/).fill('campaign over');
    const go = dialog.getByRole('button', { name: 'Detach' });
    assert.ok(await go.isDisabled());
    await dialog.getByLabel('Type 2 to go ahead').fill('2');
    await go.click();
    await dialog.getByText('Done: 2. Left alone: 1. Failed: 0.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save the receipt (CSV)' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'receipt.csv');
    const run = await api.run('6');
    assert.deepEqual([run.status, run.reason, run['comment']], ['REMOVED_BY_USER', 'detached', 'campaign over']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.locator('main:focus').waitFor();
    await page.locator('tr', { hasText: 'Fábio Luz' }).getByText('detached').waitFor();
  });

  it('snoozes many at once, for as long as is chosen', async () => {
    const { api } = theWorld();
    for (const id of ['snoozed-1', 'snoozed-2']) {
      await api.attach(id);
      await api.runWhen(id, 'asleep', asleep);
    }
    const page = await open({ path: `${RUNS}?q=snoozed` });
    for (const id of ['snoozed-1', 'snoozed-2'])
      await page.getByRole('checkbox', { name: `Select Conversation ${id}` }).check();
    await page.getByRole('button', { name: 'all that the filter finds…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This touches 2 live runs.').waitFor();
    await dialog.getByLabel('What').selectOption('snooze');
    await dialog.getByLabel('How long').selectOption('for a week');
    await dialog.getByLabel('Type 2 to go ahead').fill('2');
    await dialog.getByRole('button', { name: 'Snooze' }).click();
    await dialog.getByText('Done: 2. Left alone: 0. Failed: 0.').waitFor();
    const week = Date.now() + 6.9 * 86_400_000;
    for (const id of ['snoozed-1', 'snoozed-2']) {
      const { nextRunAt, nextRunWhy } = await api.run(id);
      assert.ok(Date.parse(nextRunAt ?? '') > week, `${id}: ${nextRunAt}`);
      assert.equal(nextRunWhy, 'snoozed by office/Rita');
    }
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('checkbox', { name: 'Select Conversation snoozed-1' }).check();
    await page.getByRole('button', { name: 'Snooze…' }).click();
    await dialog.getByLabel('How long').selectOption('for an hour');
    await dialog.getByText('1 would wake sooner than planned.').waitFor();
    await dialog.getByLabel('Type 1 to go ahead').fill('1');
    await dialog.getByRole('button', { name: 'Snooze' }).click();
    await dialog.getByText('Done: 1. Left alone: 0. Failed: 0.').waitFor();
    await api.runWhen('snoozed-1', 'due in an hour', ({ nextRunAt }) => Date.parse(nextRunAt ?? '') < week);
  });

  it('shows in every open console what one of them did', async () => {
    const { api } = theWorld();
    await api.attach('seen-by-two');
    await api.runWhen('seen-by-two', 'asleep', ({ phase }) => phase === 'asleep');
    const path = `${RUNS}?q=seen-by-two`;
    const [one, other] = [await open({ path }), await open({ path })];
    await other.getByText('asleep').waitFor();
    await one.getByRole('link', { name: 'Conversation seen-by-two' }).click();
    await one.getByRole('button', { name: 'Detach' }).click();
    await one.getByRole('dialog').getByRole('button', { name: 'Detach' }).click();
    await other.locator('tbody').getByText('detached').waitFor();
  });
});
