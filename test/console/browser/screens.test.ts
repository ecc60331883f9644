/** Every screen in a real browser: its main act, axe in light and dark, 360 px, and a picture for people to look at. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { tenantApi } from '../../support/tenant-api.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, assertFits, closePages, open, shoot } from './page.ts';
import { KEYS, theWorld } from './world.ts';

/** What each shows when it is there. */
const SCREENS = [
  ['runs', '/t/demo/runs', 'Ana Lima'],
  ['run', '/t/demo/runs/conversation/1/answering', 'Next wake'],
  ['ended-run', '/t/demo/runs/conversation/3/answering', 'A human replied in the conversation.'],
  ['outcomes', '/t/demo/outcomes', 'Ends per day'],
  ['calendar', '/t/demo/calendar', 'Show the runs that are due'],
  ['investigations', '/t/demo/investigations', 'Fill shelf A: 3 pieces are left'],
  ['deliveries', '/t/demo/deliveries', 'Dead letters in'],
  ['health', '/t/demo/health', 'Search attributes'],
  ['agents', '/t/demo/agents', 'Lead qualification'],
  ['audit', '/t/demo/audit', 'runs.attach'],
] as const;

describe('every screen', () => {
  afterEach(closePages);

  for (const [name, path, shown] of SCREENS) {
    it(`${name}: axe finds nothing, in light and dark, and it fits 360 px`, async () => {
      for (const scheme of ['light', 'dark'] as const) {
        const page = await open({ path, scheme });
        await page.getByText(shown).first().waitFor();
        await assertAccessible(page);
        await shoot(page, `${name}-${scheme}`);
      }
      const narrow = await open({ path, width: 360, height: 720 });
      await narrow.getByText(shown).first().waitFor();
      await assertFits(narrow);
      await assertAccessible(narrow);
      await shoot(narrow, `${name}-360`);
    });
  }
});

describe('a phone', () => {
  afterEach(closePages);

  /** Its place in the window. */
  const boxOf = async (of: Locator) => {
    await of.waitFor();
    const box = await of.boundingBox();
    if (box === null) throw new Error('it has no box');
    return { ...box, right: box.x + box.width };
  };
  const onPhone = async (path: string, height = 720) => open({ path, width: 360, height });

  it('shows which screen is open, below a header of two lines', async () => {
    const page = await onPhone('/t/demo/audit');
    // The counts beside the others come later and push it on.
    await until('Audit in view', async () => {
      const { x, right } = await boxOf(page.getByRole('link', { name: 'Audit' }));
      return x >= 0 && right <= 360;
    });
    assert.ok((await boxOf(page.locator('.top'))).height < 90);
  });

  it('opens the calendar at the present hour', async () => {
    const page = await onPhone('/t/demo/calendar');
    const [day, hour] = [page.locator('.week [scope="row"]').first(), page.locator('.week [aria-current="time"]')];
    const [{ right: left }, { x, right }] = [await boxOf(day), await boxOf(hour)];
    assert.ok(x >= left - 1 && right <= 360, `${x} to ${right}, beside ${left}`);
  });

  it('shows how a channel stands, and its switch', async () => {
    const page = await onPhone('/t/demo/health');
    const off = page.locator('section', { hasText: 'Channels' }).getByRole('button', { name: 'Switch off…' }).first();
    assert.ok((await boxOf(off)).right <= 360);
    await page.getByText('All of ').waitFor();
  });

  it('writes the axis of a chart large enough to read', async () => {
    const page = await onPhone('/t/demo/outcomes');
    assert.ok((await boxOf(page.locator('.chart .axis').first())).height >= 10);
  });

  it('cuts nothing off of an investigation', async () => {
    const page = await onPhone('/t/demo/investigations?status=all');
    await page.getByRole('link', { name: /Fill shelf B/ }).click();
    await page.getByText('counted by hand').waitFor();
    await assertFits(page);
    await shoot(page, 'investigation-360');
  });

  it('keeps the filter above a list of investigations that is longer than the window', async () => {
    const page = await onPhone('/t/demo/investigations?status=all', 200);
    await page.getByRole('link', { name: /Fill shelf B/ }).waitFor();
    assert.ok((await boxOf(page.locator('.filters'))).height >= 40);
  });
});

describe('what the server says, to a reader of Portuguese', () => {
  afterEach(closePages);

  it('is in Portuguese: what a watcher saw, proposes and reckoned, and why a decision is refused', async () => {
    const { dev } = theWorld();
    const loja = tenantApi(dev.url, 'loja', KEYS.admin);
    const firstRunAt = new Date(Date.now() + 1_000).toISOString();
    await loja.post('/runs', { agent: 'overdue-invoice', subject: 'business', firstRunAt });
    const proposed = async () => {
      const { body } = await loja.get<{ items: { id: string }[] }>('/investigations?status=proposed');
      return body.items[0]?.id;
    };
    const id = await until('a proposal', proposed);
    const page = await open({ path: `/t/loja/investigations/${id}`, language: 'pt-BR' });
    const panel = page.getByRole('region', { name: 'Investigação', exact: true });
    await panel.getByRole('heading', { name: /^fatura .* vencidos há \d+ dias/ }).waitFor();
    await panel
      .getByText(/da fatura .* estão vencidos há \d+ dias.*\. (?:Enviar o lembrete|follow-up trata da)/)
      .waitFor();
    await panel.getByText('lembretes enviados').waitFor();
    await panel
      .getByText(/^erp: faturas e pagamentos de/)
      .first()
      .waitFor();
    await panel.getByText('Como se chegou aos números').click();
    await panel.getByText(/^Devido = total − pago/).waitFor();
    await shoot(page, 'investigation-pt');
    const { body: before } = await loja.get(`/investigations/${id}`);
    await loja.post(`/investigations/${id}/reject`, { reason: 'they paid', by: 'ana' });
    // Nobody has told this page yet.
    await page.route(`**/investigations/${id}`, async (route) => route.fulfill({ json: before }));
    await panel.getByRole('button', { name: 'Aprovar' }).click();
    await panel.getByText(/está rejeitada: office\/ana rejeitou em \d/).waitFor();
  });

  it('is in Portuguese: why a run fails or waits, also in a CRM’s panel, and why an event could not be read', async () => {
    const page = await open({ path: '/t/demo/runs/conversation/failing/answering', language: 'pt-BR' });
    await page
      .getByText(/falhou \(1 seguidas; \d+ encerram a execução\): .*deve ter no máximo \d+ caracteres/)
      .waitFor();
    const { api } = theWorld();
    const { body } = await api.post<{ url: string }>('/embed-tokens', {
      conversation: '5',
      origin: 'https://crm.example',
    });
    const panel = await open({ path: body.url, as: null, width: 340, height: 560, language: 'pt-BR' });
    await panel.getByText(/pediu \+\d.* “retomada 1 de \d se o cliente continuar em silêncio”/).waitFor();
    await page.goto('/t/demo/deliveries');
    await page
      .getByRole('table')
      .getByText(/^type: deve ser/)
      .waitFor();
    assert.equal(await page.getByText('must').count(), 0);
  });
});

describe('the frame', () => {
  afterEach(closePages);

  it('speaks Portuguese to a browser that does, and whatever is chosen from then on', async () => {
    const page = await open({ path: '/', language: 'pt-BR' });
    await page.getByRole('link', { name: 'Execuções' }).waitFor();
    await page.getByText('dormindo').first().waitFor();
    await page.getByRole('button', { name: 'Rita' }).click();
    await page.getByRole('radio', { name: 'English' }).check();
    await page.getByRole('link', { name: 'Runs' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Runs' }).waitFor();
  });

  it('keeps the colours that are chosen against the machine’s', async () => {
    const page = await open({ path: '/' });
    const scheme = async () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme');
    await page.getByRole('button', { name: 'Rita' }).click();
    assert.equal(await scheme(), 'light dark');
    await page.getByRole('radio', { name: 'dark' }).check();
    assert.equal(await scheme(), 'dark');
    await page.reload();
    await page.getByText('Ana Lima').waitFor();
    assert.equal(await scheme(), 'dark');
  });

  it('switches the tenant and remembers it', async () => {
    const page = await open({ path: '/t/demo/runs' });
    await page.getByLabel('Tenant').selectOption('acme');
    await page.getByText('No agent was ever attached here').waitFor();
    await page.goto('/');
    await page.waitForURL(/\/t\/acme\/runs/);
  });

  it('says since when it is not live, also where only requests are cut, and goes on by itself', async () => {
    const page = await open({ path: '/t/demo/health' });
    const live = page.getByRole('status').getByText('live', { exact: true });
    const away = page.getByRole('status').getByText(/^not live since \d\d:\d\d:\d\d$/);
    await live.waitFor();
    await page.context().setOffline(true);
    await away.waitFor();
    await page.context().setOffline(false);
    await live.waitFor();
    await page.route('**/v1/**', async (route) => route.abort());
    await page.locator('section', { hasText: 'Fleet' }).getByRole('button', { name: 'Switch off…' }).click();
    await page.getByLabel('Why? Others will read this.').fill('a drill');
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByText(/Nobody knows yet whether this was done/).waitFor();
    await away.waitFor();
    await page.unroute('**/v1/**');
    await live.waitFor();
  });

  it('says what to do at an address where nothing is', async () => {
    for (const path of ['/t/demo/constructor', '/t/demo/nowhere']) {
      const page = await open({ path });
      await page.getByRole('link', { name: 'Go to the runs' }).click();
      await page.getByText('Ana Lima').waitFor();
    }
  });
});

describe('signing in', () => {
  afterEach(closePages);

  it('takes a key for a cookie, refuses another, and forgets it on signing out', async () => {
    const page = await open({ path: '/t/demo/runs', as: null });
    await page.getByLabel(/Your name/).fill('Rita');
    await page.getByLabel('API key').fill('no such key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not known here.').waitFor();
    await assertAccessible(page);
    const button = page.getByRole('button', { name: 'Sign in' });
    assert.equal((await button.boundingBox())?.x, (await page.getByLabel('API key').boundingBox())?.x);
    await page.getByLabel('API key').press('Tab');
    assert.equal(
      await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
      'solid',
      'who goes by the keys does not see where they are',
    );
    await shoot(page, 'sign-in');
    await page.getByLabel('API key').fill(KEYS.admin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Ana Lima').waitFor();
    await page.getByRole('button', { name: 'Rita' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Attaché' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Attaché' }).waitFor();
  });

  it('offers a viewer nothing to act with', async () => {
    const page = await open({ path: '/t/demo/runs/conversation/1/answering', as: 'viewer' });
    await page.getByText('Next wake').waitFor();
    for (const name of ['Take over', 'Pause', 'Detach', 'Wake now'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    assert.equal(await page.getByRole('checkbox').count(), 0);
  });
});

describe('the main act of each screen', () => {
  afterEach(closePages);

  it('deliveries: tries to read a dead letter again, and drops it', async () => {
    const page = await open({ path: '/t/demo/deliveries' });
    await page.getByRole('button', { name: 'Read again' }).first().click();
    await page.getByText('(1 attempt)').waitFor();
    await page.getByRole('button', { name: 'Drop' }).first().click();
    await page.getByText('Dropped. It stays on record.').waitFor();
    await page.getByText('No dead letter').waitFor();
  });

  it('health: shows what a kill switch would silence, and switches it off and on', async () => {
    const { api } = theWorld();
    const page = await open({ path: '/t/demo/health' });
    const fleet = page.locator('section', { hasText: 'Fleet' });
    await fleet.getByRole('button', { name: 'Switch off…' }).click();
    await page.getByText(/live runs fall silent/).waitFor();
    await page.getByText(/switching on again does not bring it back/).waitFor();
    await page.getByLabel('Why? Others will read this.').fill('a drill');
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await fleet.getByText('a drill').waitFor();
    const { body } = await api.get<{ items: { scope: string; reason: string }[] }>('/switches');
    assert.deepEqual(
      body.items.map(({ scope, reason }) => [scope, reason]),
      [['tenant', 'a drill']],
    );
    await fleet.getByRole('button', { name: 'Switch on' }).click();
    await fleet.getByRole('button', { name: 'Switch off…' }).waitFor();
    await fetch(api.at('/v1/tenants/demo/switches/agent/follow-up'), {
      method: 'PUT',
      headers: { authorization: `Bearer ${KEYS.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'another drill' }),
    });
    await fleet.getByText('Agent follow-up:').waitFor();
    await fleet.getByText('another drill').waitFor();
    await fleet.getByRole('button', { name: 'Switch on' }).click();
    await fleet.getByText('Agent follow-up:').waitFor({ state: 'detached' });
    await page.route('**/v1/tenants/demo/switches', async (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await fleet.getByText('not known').waitFor();
  });

  it('health: says since when a provider refuses us, by which code, and what to mend', async () => {
    const page = await open({ path: '/t/demo/health', as: 'viewer' });
    await page.route('**/v1/tenants/demo/channels', async (route) => {
      const response = await route.fetch();
      const { items } = (await response.json()) as { items: object[] };
      const shut = { code: '190', since: '2026-01-02T03:04:05Z' };
      await route.fulfill({ response, json: { items: items.map((one) => ({ ...one, shut })) } });
    });
    await page.reload();
    await page.getByText('the provider refuses us (190): mend its credentials').first().waitFor();
    await page.locator('time[datetime="2026-01-02T03:04:05Z"]').first().waitFor();
    await assertAccessible(page);
  });

  it('calendar: opens the runs behind an hour', async () => {
    const page = await open({ path: '/t/demo/calendar' });
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('button', { name: /^due / }).click();
    await page.getByRole('link', { name: 'Carla Reis' }).waitFor();
  });

  it('investigations: approves exactly what is shown, without a word or with one, and counts what waits', async () => {
    const { api } = theWorld();
    const page = await open({ path: '/t/demo/investigations' });
    await page.getByRole('link', { name: /Fill shelf A/ }).click();
    const panel = page.getByRole('region', { name: 'Investigation', exact: true });
    await panel.getByText('counted by hand').waitFor();
    await panel.getByText('Somebody fills shelf A', { exact: true }).waitFor();
    await panel.getByText('€12.50').first().waitFor();
    await assertAccessible(page);
    await shoot(page, 'investigation');
    await panel.getByText('decide by').waitFor();
    await page.getByRole('link', { name: /Investigations.*2 wait for a decision/ }).waitFor();
    const approve = panel.getByRole('button', { name: 'Approve' });
    assert.ok(await approve.isEnabled());
    assert.ok(await panel.getByRole('button', { name: 'Reject' }).isDisabled());
    await page.setViewportSize({ width: 1280, height: 400 });
    const place = await approve.boundingBox();
    assert.ok(place !== null && place.y + place.height <= 400, 'it is below what is in view');
    await panel.getByLabel(/Why/).fill('it is Monday');
    await approve.click();
    await panel.getByText('it is Monday').waitFor();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await panel.getByText(/✓\s*carried out/).waitFor();
    await page.getByRole('link', { name: /Investigations.*1 waits for a decision/ }).waitFor();
    assert.equal(await panel.getByText('decide by').count(), 0);
    const { body } = await api.get<{ items: { decisions: { actor: string; reason: string }[] }[] }>(
      '/investigations?status=executed',
    );
    assert.deepEqual(
      body.items.flatMap(({ decisions }) => decisions.map(({ actor, reason }) => [actor, reason])),
      [['office/Rita', 'it is Monday']],
    );
  });

  it('investigations: says how an action would be undone', async () => {
    for (const [language, undo] of [
      ['en-GB', 'purchaseOrder.create · undo: the purchase order is cancelled'],
      ['pt-BR', 'purchaseOrder.create · para desfazer: o pedido de compra é cancelado'],
    ] as const) {
      const page = await open({ path: '/t/demo/investigations?status=all', language });
      await page.route('**/v1/tenants/demo/investigations/*', async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        await route.fulfill({ response, body: text.replaceAll('person.confirm', 'purchaseOrder.create') });
      });
      await page.getByRole('link', { name: /Fill shelf B/ }).click();
      await page.getByText(undo).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('a:focus', { hasText: 'Fill shelf B' }).waitFor();
    }
  });

  it('investigations: rejects with a reason, and nothing is done', async () => {
    const page = await open({ path: '/t/demo/investigations' });
    await page.getByRole('link', { name: /Fill shelf B/ }).click();
    await page.getByLabel(/Why/).fill('shelf B is going');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Rejected: nothing is done.').waitFor();
  });

  it('outcomes: opens the runs behind a number', async () => {
    const page = await open({ path: '/t/demo/outcomes' });
    await page.getByRole('table').getByRole('link', { name: 'a human replied' }).click();
    await page.getByRole('link', { name: 'Carla Reis' }).waitFor();
    assert.match(page.url(), /status=EXITED_ON_OUTBOUND&reason=human_replied|reason=human_replied/);
  });

  it('audit: finds what somebody did', async () => {
    const page = await open({ path: '/t/demo/audit?act=runs.pause' });
    await page.getByText('on holiday').waitFor();
    await page.getByRole('link', { name: 'conversation/2/answering' }).click();
    await page.getByRole('heading', { name: /Bruno Sá/ }).waitFor();
  });

  it('a panel for a CRM’s page shows one conversation and takes it over', async () => {
    const { api } = theWorld();
    await api.attach('panelled');
    const { body } = await api.post<{ url: string }>('/embed-tokens', {
      conversation: 'panelled',
      allowedActs: ['takeover', 'handback'],
      origin: 'https://crm.example',
    });
    const page = await open({ path: body.url, as: null, width: 340, height: 560 });
    await page.getByText('Next wake').waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await shoot(page, 'panel');
    assert.equal(await page.getByRole('button', { name: 'Detach' }).count(), 0);
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click();
    await page.getByText('A human took the conversation over.', { exact: false }).first().waitFor();
    assert.equal((await api.run('panelled')).reason, 'taken_over');
  });
});
