/** One run in a real browser: why it went quiet, taking it over, handing it back. */
import assert from 'node:assert/strict';
import { closePages, open, shoot } from './page.ts';
import { theWorld } from './world.ts';

const at = (conversation: string) => `/t/demo/runs/conversation/${conversation}/answering`;
const nextMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString();

describe('one run', () => {
  afterEach(closePages);

  it('says in one sentence why an agent went quiet, and that nothing was sent since', async () => {
    const page = await open({ path: at('3') });
    await page.getByText(/Ended .*: A human replied in the conversation\. Nothing was sent afterwards\./).waitFor();
    await page.getByRole('region', { name: 'Conversation' }).getByText('Deixa comigo.').waitFor();
    await page.getByRole('button', { name: 'Hand back' }).waitFor();
  });

  it('can be taken over and handed back by who was never told how', async () => {
    const { api } = theWorld();
    const page = await open({ path: '/t/demo/runs' });
    await page.getByRole('link', { name: 'Davi Melo' }).click();
    await page.getByRole('button', { name: 'Take over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take over Davi Melo' });
    await dialog.getByText('lead-qualification stops at once and sends nothing more.').waitFor();
    await dialog.getByLabel(/Why/).fill('he asked for me');
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await page.getByText(/Ended .*: A human took the conversation over\./).waitFor();
    assert.equal((await api.run('4')).reason, 'taken_over');
    await page.getByRole('button', { name: 'Hand back' }).click();
    await page.getByLabel(/What should the agent know/).fill('he has the price list');
    await page.getByRole('dialog').getByRole('button', { name: 'Hand back' }).click();
    await page.getByText('Next wake').waitFor();
    const run = await api.run('4');
    assert.equal(run.status, 'IN_PROGRESS');
    await page.getByText('Davi Melo is with lead-qualification again.').waitFor();
    assert.equal(await page.getByText('Davi Melo is yours.').count(), 0, 'no longer true');
    const earlier = page.locator('tbody tr', { hasText: 'Davi Melo' }).locator('td', { hasText: 'taken over' });
    await earlier.click();
    await page.getByText('This is an earlier run.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Hand back' }).count(), 0, 'an agent has it already');
  });

  it('does not say that an act was not done whose answer was lost', async () => {
    const { api } = theWorld();
    await api.attach('lost-answer');
    const page = await open({ path: '/t/demo/runs?q=lost-answer' });
    await page.getByRole('link', { name: 'Conversation lost-answer' }).click();
    await page.getByRole('button', { name: 'Take over' }).waitFor();
    await page.route('**/takeover', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Take over' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await dialog.getByText('Nobody knows yet whether this was done: look before you try again').waitFor();
    assert.equal(await dialog.getByText('This was not done').count(), 0);
    assert.equal(
      (await api.runWhen('lost-answer', 'ended', ({ status }) => status !== 'IN_PROGRESS')).reason,
      'taken_over',
    );
  });

  it('is taken over and handed back, with a note, by the keyboard alone, and the list goes on at the new run', async () => {
    const { api } = theWorld();
    await api.attach('by-keys');
    const page = await open({ path: '/t/demo/runs?q=by-keys' });
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole('link', { name: 'Conversation by-keys' }).waitFor();
    await press('j', 'Enter');
    await page.locator('h2:focus', { hasText: 'Conversation by-keys' }).waitFor();
    await press('Tab');
    await page.locator('button:focus', { hasText: 'Take over' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await page.locator('button:focus', { hasText: 'Take over' }).waitFor();
    await press('Enter');
    await page.locator('dialog textarea:focus').waitFor();
    await press('Tab', 'Tab');
    await page.locator('dialog button:focus', { hasText: 'Take over' }).waitFor();
    await press('Enter');
    await page.getByText(/Ended .*: A human took the conversation over\./).waitFor();
    await page.locator('button:focus', { hasText: 'Hand back' }).waitFor();
    const before = await api.run('by-keys');
    await press('Enter');
    await page.locator('dialog textarea:focus').waitFor();
    await page.keyboard.type('she has the price list');
    await press('Tab', 'Tab', 'Enter');
    await page.getByText('Next wake').waitFor();
    await page.getByRole('region', { name: 'Timeline' }).getByText('she has the price list').waitFor();
    const after = await api.run('by-keys');
    assert.notEqual(after.id, before.id);
    assert.equal(after.status, 'IN_PROGRESS');
    await page.locator('tbody tr[data-open][data-current][data-status="IN_PROGRESS"]').waitFor();
    assert.equal(await page.locator('tbody tr[data-open]').count(), 1);
    assert.equal(await page.locator('tbody tr[data-status="EXITED_ON_OUTBOUND"]').count(), 1, 'the ended one stays');
    await page.locator('.run button:focus').waitFor();
    await press('Escape');
    await page.locator('tr[data-status="IN_PROGRESS"] a:focus', { hasText: 'Conversation by-keys' }).waitFor();
  });

  it('says that it is awake while its agent thinks, not that it woke before', async () => {
    const { api, gate } = theWorld();
    await api.attach('awake', { agent: 'gate', config: { gate: gate.url } });
    const thinking = await gate.arrival('awake', 1);
    const page = await open({ path: at('awake') });
    const wake = page.locator('.next-wake');
    await wake.getByText('Awake now').waitFor();
    await wake.getByText('Was due').waitFor();
    assert.equal(await wake.getByText('Next wake').count(), 0);
    await page.locator('tr[data-open]').getByText('thinking').waitFor();
    thinking.pass('');
    await page.locator('tr[data-open]').getByText('asleep').waitFor();
    await wake.getByText('Next wake').waitFor();
    await api.act('awake', 'detach');
  });

  it('promises no waking within a pause', async () => {
    const { api } = theWorld();
    const [due, until] = [2, 4].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    await api.attach('held', { firstRunAt: due });
    await api.act('held', 'pause', { until });
    const page = await open({ path: at('held') });
    const wake = page.locator('.next-wake');
    const shownAt = async (words: string) =>
      wake.locator('p', { hasText: words }).locator('time').getAttribute('datetime');
    assert.equal(Date.parse((await shownAt('Next wake')) ?? ''), Date.parse(until ?? ''));
    assert.equal(Date.parse((await shownAt('Held by the pause; due')) ?? ''), Date.parse(due ?? ''));
    await shoot(page, 'paused');
    await api.act('held', 'resume');
    await api.act('held', 'pause');
    await wake.getByText('until somebody resumes it').waitFor();
    await wake.getByText('Next wake').waitFor({ state: 'detached' });
    await wake.getByText('Held by the pause; due').waitFor();
    await api.act('held', 'detach');
  });

  it('shows every file of a message, and where it is fetched', async () => {
    const { api } = theWorld();
    await api.attach('with-files', { firstRunAt: nextMonth() });
    await api.post('/events', {
      ...{ id: 'files-1', source: 'test', type: 'message.inbound', time: new Date().toISOString() },
      subject: 'conversation/with-files',
      data: {
        content: {
          ...{ kind: 'media', media: 'image', mediaId: 'm-1', fileName: 'front.png', caption: 'both sides' },
          more: [{ media: 'document', mediaId: 'm-2' }],
        },
      },
    });
    const page = await open({ path: at('with-files') });
    const talk = page.getByRole('region', { name: 'Conversation' });
    await talk.getByText('both sides').waitFor();
    const address = async (name: string) => talk.getByRole('link', { name }).getAttribute('href');
    assert.match(
      (await address('front.png')) ?? '',
      /^\/v1\/tenants\/demo\/conversations\/with-files\/messages\/[^/]+\/media\?file=0$/,
    );
    assert.match((await address('document')) ?? '', /\/media\?file=1$/);
    await shoot(page, 'files');
    await api.act('with-files', 'detach');
  });

  it('asks for no transcript of a conversation that the desk does not know', async () => {
    const page = await open({ path: '/t/demo/runs?q=Davi' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.route('**/conversations/4', async (route) =>
      route.fulfill({ status: 404, json: { status: 404, code: 'conversation_not_found' } }),
    );
    await page.getByRole('link', { name: 'Davi Melo' }).first().click();
    await page.getByText('Nobody has written yet.').waitFor();
    assert.deepEqual(
      asked.filter((url) => url.includes('/messages')),
      [],
    );
  });

  it('explains when it wakes next, and shows what happened and what was said, with how far each message came', async () => {
    const page = await open({ path: at('1') });
    await page.getByText('Next wake').waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('tick 2').waitFor();
    await timeline.getByText('woke: 1 event').waitFor();
    const talk = page.getByRole('region', { name: 'Conversation' });
    await talk.getByText('Olá, quanto custa?').waitFor();
    assert.match(await talk.locator('li[data-author="agent"]').last().innerText(), /✓ sent|✓✓ delivered|✓✓ read/);
    const exact = await page.locator('.next-wake time').first().getAttribute('title');
    assert.match(exact ?? '', /Sao Paulo\) · \d{4}-\d\d-\d\dT/);
  });

  it('tells who put its waking off, after what the agent had asked for', async () => {
    const { api } = theWorld();
    await api.act('1', 'snooze', { for: '36h', by: 'Rita', reason: 'he is travelling' });
    const page = await open({ path: at('1') });
    await page.getByText(/asked for \+\d.*, snoozed by office\/Rita “he is travelling”/).waitFor();
    const translated = await open({ path: at('1'), language: 'pt-BR' });
    await translated.getByText(/pediu \+\d.*, adiado por office\/Rita “he is travelling”/).waitFor();
  });

  it('leads to the run in Temporal Web', async () => {
    const { api } = theWorld();
    const page = await open({ path: at('1') });
    const link = await page.getByRole('link', { name: 'Temporal Web' }).getAttribute('href');
    assert.match(link ?? '', /^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\//);
    assert.ok(link?.endsWith(`/${encodeURIComponent(String((await api.run('1'))['workflowId']))}`));
    assert.equal((await page.request.get(link ?? '')).status(), 200);
  });

  it('opens with the newest of a long timeline, and reads earlier stretches when asked', async () => {
    const { api } = theWorld();
    await api.attach('long', { firstRunAt: nextMonth() });
    for (let n = 0; n < 12; n += 1)
      await Promise.all(Array.from({ length: 10 }, async () => api.act('long', 'snooze', { for: `${n + 1}h` })));
    const page = await open({ path: at('long') });
    const lines = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    await lines.first().waitFor();
    assert.equal(await lines.count(), 100);
    await page.getByRole('button', { name: 'Earlier…' }).click();
    await lines.filter({ hasText: 'attached' }).waitFor();
    assert.equal(await lines.count(), 121);
    assert.equal(await page.getByRole('button', { name: 'Earlier…' }).count(), 0);
  });

  it('names what failed and how often it may', async () => {
    const page = await open({ path: at('failing') });
    await page.getByText(/The last wake-up failed \(1 in a row; 3 end the run\)/).waitFor();
  });

  it('pauses at once and takes it back', async () => {
    const { api } = theWorld();
    const page = await open({ path: at('5') });
    await page.getByRole('button', { name: 'Pause' }).click();
    const choice = page.getByRole('button', { name: 'until somebody resumes it' });
    const [panel, list] = [await page.locator('.run').boundingBox(), await choice.boundingBox()];
    assert.ok(panel !== null && list !== null && list.x >= panel.x, 'it is cut off on its left');
    await choice.click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    assert.equal((await api.run('5')).phase, 'paused');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    assert.equal((await api.run('5')).phase, 'asleep');
  });

  it('snoozes, and undo puts the due time back to where it was', async () => {
    const { api } = theWorld();
    const before = (await api.run('5')).nextRunAt;
    const page = await open({ path: at('5') });
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('button', { name: 'for a week' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await api.runWhen('5', 'due as before', ({ nextRunAt }) => nextRunAt === before);
  });

  it('says that a snooze would wake it sooner than planned, before and after', async () => {
    const { api } = theWorld();
    const due = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await api.attach('planned', { firstRunAt: due });
    const page = await open({ path: at('planned') });
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('button', { name: 'for a week', exact: true }).waitFor();
    await page.getByRole('button', { name: 'for an hour sooner than planned' }).click();
    await page.getByText(/Conversation planned wakes sooner than planned: .*, not .*\./).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await api.runWhen('planned', 'due as before', ({ nextRunAt }) => Date.parse(nextRunAt ?? '') === Date.parse(due));
    await api.act('planned', 'detach');
  });

  it('says so when there is no such run', async () => {
    const page = await open({ path: at('never') });
    await page.getByText('There is no such run').waitFor();
  });
});
