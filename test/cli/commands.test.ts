import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { oneRun } from '../../src/cli/shown-runs.ts';
import { heldWords } from '../../src/cli/wake-words.ts';
import { wakeWords as consoleWords } from '../../src/console/words/wake-words.ts';
import type { MessageRecord } from '../../src/desk/desk.ts';
import type { WakeStep } from '../../src/domain/schemas/next-wake.ts';
import type { OneRun } from '../../src/domain/schemas/runs.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { attache, serveApi, type Ran, type Served } from '../support/cli.ts';

const RUN = 'demo/conversation/1/answering';

describe('the command line', () => {
  let api: TestApi;
  let served: Served;
  const run = async (...args: string[]): Promise<Ran> => attache(args, { url: served.url });

  beforeEach(async () => {
    api = testApi();
    served = await serveApi(api.deps);
  });
  afterEach(async () => {
    await served.close();
  });

  it('attaches, shows, acts, and ends 0', async () => {
    assert.deepEqual(await run('attach', 'qualifier', 'conversation/1', '--by', 'ana'), {
      exit: 0,
      out: `qualifier is attached as ${RUN}\n`,
      err: 'warning: nobody is known in conversation/1 yet: what the agent says waits for conversation.opened or the customer’s first message\n',
    });
    assert.match((await run('runs')).out, /RUN +AGENT[^\n]*\ndemo\/conversation\/1\/answering +qualifier/);
    assert.match((await run('show', RUN)).out, /by +local\/ana/);
    assert.match((await run('show', RUN, '--timeline')).out, /attach +by local\/ana/);
    assert.match((await run('pause', RUN)).out, /paused/);
    assert.match((await run('pause', RUN)).out, /paused until it is resumed/);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    assert.match((await run('pause', RUN, '--until', tomorrow)).out, /paused until .*, next run then/);
    assert.match((await run('show', RUN)).out, /next run +.*when the pause ends/);
    assert.match((await run('resume', RUN)).out, /IN_PROGRESS/);
    assert.match((await run('snooze', RUN, '--for', '2h')).out, /next run in (2h|1h 59m)/);
    assert.equal((await run('wake', RUN)).exit, 0);
    assert.match((await run('detach', RUN, '--reason', 'done')).out, /REMOVED_BY_USER \(detached\) by local/);
    assert.equal((await run('takeover', RUN)).exit, 0);
    assert.match((await run('stats')).out, /IN_PROGRESS/);
    assert.match((await run('events')).out, /no such events of tenant demo; .*--tenant/);
    assert.match((await run('runs', '--tenant', 'acme')).out, /no such runs of tenant acme; .*--tenant/);
  });

  it('takes a run without its tenant for one of --tenant, and that for demo', async () => {
    await run('attach', 'qualifier', 'conversation/1');
    await run('attach', 'watcher', 'acme/business');
    assert.match((await run('show', 'conversation/1/answering')).out, /run +demo\/conversation\/1\/answering/);
    assert.match((await run('pause', 'business/watcher', '--tenant', 'acme')).out, /acme\/business\/watcher: paused/);
    assert.match((await run('show', 'acme/business/watcher', '--tenant', 'demo')).out, /run +acme\/business\/watcher/);
    assert.equal((await run('show', 'business/watcher')).exit, 3);
  });

  it('warns of a switch that stops nothing, and of a run that a switch will end', async () => {
    const nope = await run('switches', 'off', 'agent/nope');
    assert.deepEqual([nope.exit, nope.out], [0, 'agent/nope: off\n']);
    assert.match(nope.err, /warning: .*no agent nope here; there are qualifier/);
    assert.equal((await run('switches', 'off', 'agent/qualifier')).err, '');
    assert.match((await run('attach', 'qualifier', 'conversation/1')).err, /warning: .*ends at its first wake-up/);
  });

  it('prints the API’s own objects with --json', async () => {
    const attached = JSON.parse((await run('attach', 'watcher', 'acme/business', '--json')).out) as {
      id: string;
      tenant: string;
    };
    assert.equal(attached.tenant, 'acme');
    const shown = JSON.parse((await run('show', 'acme/business/watcher', '--json')).out) as { id: string };
    assert.equal(shown.id, attached.id);
    const listed = JSON.parse((await run('runs', '--tenant', 'acme', '--json')).out) as {
      items: object[];
      nextCursor: null;
    };
    assert.deepEqual([listed.items.length, listed.nextCursor], [1, null]);
    const timeline = JSON.parse((await run('show', 'acme/business/watcher', '--timeline', '--json')).out) as {
      items: object[];
    };
    assert.equal(timeline.items.length, 1);
  });

  it('ends 3 for what is not there and 4 for a conflict, with the problem as JSON when asked', async () => {
    assert.equal((await run('show', RUN)).exit, 3);
    assert.equal((await run('detach', RUN)).exit, 3);
    assert.match(
      (await run('runs', '--tenant', 'nobody')).err,
      /nobody is not in .*\nName another tenant with --tenant/,
    );
    assert.equal((await run('events', 'drop', 'nothing')).exit, 3);
    await run('attach', 'qualifier', 'conversation/1');
    const again = await run('attach', 'qualifier', 'conversation/1', '--json');
    assert.equal(again.exit, 4);
    assert.equal((JSON.parse(again.err) as { code: string }).code, 'already_attached');
    assert.equal((await run('detach', RUN, '--id', 'another')).exit, 4);
  });

  it('ends 2 and names the flag or argument that is wrong', async () => {
    const cases: [string[], RegExp][] = [
      [['runs', '--stauts', 'COMPLETED'], /--stauts/],
      [['runs', '--status', 'DONE'], /--status must be one of/],
      [['runs', '--due-within', 'soon'], /--due-within must be a length of time/],
      [['runs', '--limit', 'x'], /--limit/],
      [['runs', '--limit', '201'], /limit/],
      [['runs', '--tenant', 'No'], /--tenant "No" must be lower-case/],
      [['attach', 'qualifier', 'elsewhere'], /subject "elsewhere" must be/],
      [['show', 'demo/1'], /run "demo\/1" must be tenant\/subject\/slot/],
      [['show', 'conversation/1'], /the slot is missing/],
      [['show', 'business'], /the slot is missing/],
      [['show', 'business/watcher', '--tenant', 'No'], /--tenant "No" must be lower-case/],
      [['show', 'demo/conversation/1'], /the slot is missing/],
      [['show', 'demo/business'], /the slot is missing/],
      [['show', 'demo/conversation/😀/answering'], /subject must be/],
      [['show', `demo/conversation/${'x'.repeat(300)}/answering`], /subject must be/],
      [['show'], /'run'/],
      [['snooze', RUN], /--until and --for/],
      [['snooze', RUN, '--until', 'tomorrow'], /--until/],
      [['pause', RUN, '--until', 'x'], /--until/],
      [['attach', 'nobody', 'conversation/1'], /agent: there is no agent nobody/],
      [['attach', 'qualifier', 'conversation/1', '--config', '{'], /--config must be JSON/],
      [['attach', 'qualifier', 'conversation/1', '--config', '{"more":1}'], /config\.more/],
      [['attach', 'qualifier', 'conversation/../1'], /subject/],
      [['attach', 'qualifier', 'conversation/1', '--first-run-at', 'x'], /--first-run-at/],
      [['say', '1', ' '], /text must not be empty/],
      [['say', '1', 'hi', '--wait', 'x'], /--wait/],
      [['worker', '--queues', 'other'], /--queues/],
      [['dance'], /unknown command 'dance'\n$/],
      [['messages', '42'], /unknown command 'messages'\nDid you mean attache conversations messages\?\n$/],
      [['rotate', 'x'], /Did you mean attache keys rotate\?\n$/],
      [['list'], /Did you mean attache events list, .* or attache keys list\?\n$/],
    ];
    for (const [args, names] of cases) {
      const { exit, err } = await run(...args);
      assert.equal(exit, 2, args.join(' '));
      assert.match(err, names);
      assert.doesNotMatch(err, /\n +at /);
    }
  });

  it('ends 5 with a remedy when no server is known, or none answers', async () => {
    for (const url of [undefined, 'http://127.0.0.1:9']) {
      const { exit, err } = await attache(['runs'], { url });
      assert.equal(exit, 5);
      assert.match(err, /attache dev/);
    }
  });

  it('says so when something else answers there', async () => {
    const other = createServer((_, response) => response.end('<html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { exit, err } = await attache(['runs'], { url: `http://127.0.0.1:${port}` });
    other.close();
    assert.equal(exit, 1);
    assert.match(err, /is not Attaché/);
  });

  it('says as the customer and prints what the agent answers', async () => {
    const { intake } = api.deps;
    const accept = intake.accept.bind(intake);
    const replied: MessageRecord = {
      id: 'm2',
      conversation: '1',
      direction: 'out',
      author: 'agent',
      text: 'Hello!\u202e\u001b[2J',
      private: false,
      kind: 'text',
    } as never;
    api.desk.messages.push({ ...replied, id: 'm0', text: 'from before' });
    Object.assign(intake, {
      accept: async (items: Parameters<typeof accept>[0]) => {
        api.desk.messages.push({ ...replied, id: 'm1', direction: 'in', text: 'Hi' }, replied);
        return accept(items);
      },
    });
    const said = await run('say', '1', 'Hi,', 'there');
    assert.deepEqual(said, { exit: 0, out: 'agent: Hello! [2J\n', err: '' });
    assert.deepEqual((api.accepted[0]?.event.data as { content: object }).content, { kind: 'text', text: 'Hi, there' });
  });

  it('says nothing to a tenant without a simulated channel, where nobody would answer', async () => {
    const { exit, err } = await run('say', '1', 'Hi', '--tenant', 'acme');
    assert.equal(exit, 2);
    assert.match(err, /tenant acme has no simulated channel.*no channel at all/);
    assert.equal(api.accepted.length, 0);
  });

  it('says so when nobody answers', async () => {
    const { exit, err } = await run('say', 'demo/conversation/1', 'Hi', '--wait', '1ms');
    assert.equal(exit, 1);
    assert.match(err, /nobody answered within 1ms\nIs an agent attached\?/);
  });

  it('says in words why a run wakes when it does, and by what its messages are held', async () => {
    const step = (rule: string, params: WakeStep['params'] = {}, more: Partial<WakeStep> = {}): WakeStep => ({
      ...{ rule, from: null, until: null, effect: null, params },
      ...more,
    });
    const [from, until] = ['2026-12-01T08:00:00.000Z', '2026-12-01T14:00:00.000Z'];
    const nextRunSteps = [
      step('asked', { by: 'agent', why: 'follow-up 1 of 3' }, { from, until }),
      step('snooze', { actor: 'ana', comment: null }, { until }),
      step('retry', { failures: 1, of: 3, after: '10m', fault: 'error', message: 'no reply' }),
      step('full_moon'),
      step('undelivered', { kind: 'message.send', attempts: 0 }, { from, until, effect: 'k:1:0' }),
      step('quiet_hours', { kind: 'message.send', attempts: 0 }, { from, until, effect: 'k:1:1' }),
      step('holiday', { kind: 'message.send', attempts: 0 }, { from: until, effect: 'k:1:1' }),
    ];
    await run('attach', 'qualifier', 'conversation/1');
    const shown = JSON.parse((await run('show', RUN, '--json')).out) as OneRun;
    const held = {
      effect: { kind: 'message.send', text: 'Hi', proactive: false },
      state: 'parked',
      dueAt: null,
    } as const;
    const pending = ['k:1:0', 'k:1:1'].map((key) => ({ ...held, key, reason: 'x', attempts: 0, since: from }) as never);
    const out = oneRun({ ...shown, nextRunSteps, pendingEffects: pending });
    assert.deepEqual(
      [...out.matchAll(/^(?:why|pending) +(.*)$/gm)].map(([, words]) => words),
      [
        `asked for 6h by the agent “follow-up 1 of 3” (${from})`,
        'snoozed by ana',
        'failed 1 of 3 times in a row, tries again after 10m “no reply”',
        'moved by full moon',
        `message.send parked: did not arrive, goes out again until ${until}`,
        `message.send parked: quiet hours until ${until}, then a holiday`,
      ],
    );
    const rules = [
      'no_contact',
      'frequency_cap',
      'rate_limited',
      'retrying',
      'undelivered',
      'ambiguous',
      'paused',
    ] as const;
    for (const rule of rules) assert.equal(heldWords(rule), consoleWords[`held.${rule}`][0]);
  });

  it('fits a table to the terminal', async () => {
    await run('attach', 'qualifier', `conversation/${'x'.repeat(90)}`);
    const { out } = await attache(['runs'], { url: served.url, columns: 80 });
    for (const line of out.split('\n')) assert.ok(Array.from(line).length <= 80, line);
    assert.match(out, /…/);
  });

  it('keeps on 80 columns the names that are typed next, and in a word what each run does', async () => {
    await run('attach', 'qualifier', 'conversation/4711-001');
    await run('attach', 'qualifier', 'conversation/4711-002');
    const { out } = await attache(['runs'], { url: served.url, columns: 80 });
    assert.match(out, /^demo\/conversation\/4711-001\/answering  qualifier +asleep +(?:now|\d+s ago)/m);
    assert.match(out, /^demo\/conversation\/4711-002\/answering /m);
    assert.match((await run('runs')).out, /IN_PROGRESS \(asleep\).* +0 +/);
  });

  it('tells of a detach that no worker has answered', async () => {
    await run('attach', 'qualifier', 'conversation/1');
    api.runs.weather = 'no_worker';
    const { exit, out } = await run('detach', RUN);
    assert.equal(exit, 0);
    assert.match(out, /accepted; nothing more is sent/);
    assert.equal((await run('pause', RUN)).exit, 1);
  });

  it('ends 1 when a check of the doctor fails, and prints its remedy', async () => {
    const checks = [
      { name: 'Node', ok: true, detail: '20.20', remedy: null },
      { name: 'database', ok: false, detail: 'refused', remedy: 'check DATABASE_URL' },
      { name: 'configuration', ok: false, detail: 'two:\n  PORT: one\n  HOST: other', remedy: 'correct it' },
    ];
    const { exit, out } = await attache(['doctor'], { processes: { doctor: async () => checks } });
    assert.equal(exit, 1);
    assert.match(out, /ok {4}Node: 20\.20\nFAIL {2}database: refused\n {6}→ check DATABASE_URL/);
    assert.match(out, /FAIL {2}configuration: two:\n {8}PORT: one\n {8}HOST: other\n/);
  });

  it('helps', async () => {
    const { exit, out } = await run('--help');
    assert.equal(exit, 0);
    assert.match(out, /takeover.*\n/);
    assert.match(out, /Exit codes/);
  });
});
