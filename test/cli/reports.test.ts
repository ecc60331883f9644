import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { ChannelConfig } from '../../src/channels/config.ts';
import { sealOf } from '../../src/channels/seal.ts';
import { createWebhooks } from '../../src/channels/webhooks.ts';
import { parseConversationId, type EffectKey, type TenantId } from '../../src/domain/ids.ts';
import { runCli } from '../../src/cli/program.ts';
import { timelineTable } from '../../src/cli/shown-runs.ts';
import { testApi } from '../support/api.ts';
import { attache, serveApi, type Ran, type Served } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, fact } from '../support/facts.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** What bash would offer for the last of these words. */
/** What a shell offers once it has read our script; of zsh's completion only what our function calls is put in its place. */
const OFFERS: Readonly<Record<string, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) => {
    const asked = `COMP_WORDS=(attache ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}; _attache`;
    return shell('bash', ['-c', `${script}\n${asked}; printf '%s\\n' "\${COMPREPLY[@]}"`]);
  },
  zsh: (script, words) => {
    const stood = `compdef() { }; compadd() { shift; print -l -- $@ }; _files() { }
      _describe() { local list=\${@[-1]}; print -l -- \${\${(P)list}%%:*} }`;
    const asked = `words=(attache ${words.map(quoted).join(' ')}); CURRENT=${words.length + 1}; PREFIX=${quoted(words.at(-1) ?? '')}`;
    return shell('zsh', ['-f', '-c', `${stood}\n${script}\n${asked}; _attache; true`]);
  },
  fish: (script, words) =>
    shell('fish', ['--no-config', '-c', `${script}\ncomplete -C ${quoted(['attache', ...words].join(' '))}`]),
};
const SHELLS = Object.keys(OFFERS).filter((name) => spawnSync(name, ['--version']).status === 0);

function shell(name: string, args: readonly string[]): string {
  return execFileSync(name, args, { encoding: 'utf8' });
}

function quoted(word: string): string {
  return `'${word}'`;
}

/** By any clock it is over. */
const OPENED = '2020-01-01T08:00:00.000Z';
const VISIT = { type: 'custom.visit', time: '2026-11-29T12:00:00Z', subject: 'conversation/1', data: {} };

describe('a timeline in the terminal', () => {
  const at = '2026-11-30T10:00:00.000Z';
  const shown = (of: object) => {
    const times = { claimedAt: at, sentAt: null, deliveredAt: null, readAt: null, dueAt: null };
    const effect = { entry: 'effect', entryId: 'effect-1', at, key: 'k' as EffectKey, kind: 'message.send' } as const;
    const came = { state: 'sent', reason: null, text: 'Hi', status: null, error: null, ...times } as const;
    return timelineTable([{ ...effect, ...came, ...of }], undefined);
  };

  it('does not call a send refused where the customer has the message', () => {
    assert.match(
      shown({ state: 'refused', reason: 'arrived' }),
      /message\.send +not sent again · the first had arrived · Hi/,
    );
  });

  it('says once how far a message came, and of what is no message that it was done', () => {
    assert.match(shown({ status: 'read', deliveredAt: at, readAt: at }), new RegExp(`sent · read ${at} · Hi`));
    assert.match(shown({ status: 'failed', deliveredAt: at }), new RegExp(`sent · failed · delivered ${at} · Hi`));
    assert.match(shown({ status: 'sent' }), /message\.send +sent · Hi/);
    assert.match(shown({ kind: 'note.add' }), /note\.add +done · Hi/);
  });
});

describe('the command line over a real desk', () => {
  let opened: TestDesk;
  let served: Served;
  const run = async (...args: string[]): Promise<Ran> => attache(args, { url: served.url, columns: 100 });
  before(async () => {
    opened = await openTestDesk();
    const crm = ChannelConfig.parse({ kind: 'generic', webhookSecret: SECRET });
    const webhooks = createWebhooks({ demo: { channels: [crm] } });
    served = await serveApi(testApi({ desk: opened.desk, webhooks }).deps);
    assert.equal((await run('attach', 'qualifier', 'conversation/1', '--by', 'ana')).exit, 0);
  });
  after(async () => {
    await served.close();
    await opened.close();
  });

  it('makes, lists, rotates and revokes keys, and shows a secret once', async () => {
    const made = await run('keys', 'create', 'crm', '--role', 'operator', '--by', 'ana');
    assert.match(made.out, /^att_\S+\n$/);
    const [, id = ''] = /\((\w+)\)/.exec(made.err) ?? [];
    assert.match((await run('keys')).out, /crm +operator +active/);
    const rotated = await run('keys', 'rotate', id, '--overlap', '1h');
    assert.match(rotated.out, /^att_\S+\n$/);
    const [, next = ''] = /\((\w+)\)/.exec(rotated.err) ?? [];
    assert.equal((await run('keys', 'revoke', next)).out, 'crm: revoked\n');
    assert.equal((await run('keys', 'revoke', 'nothing')).exit, 3);
    assert.equal((await run('keys', 'create', 'x', '--role', 'king')).exit, 2);
    assert.doesNotMatch((await run('keys', '--json')).out, /secret/);
  });

  it('switches off and on', async () => {
    assert.match((await run('switches')).out, /nothing is switched off/);
    assert.equal((await run('switches', 'off', 'agent/qualifier', '--reason', 'rude')).exit, 0);
    assert.match((await run('switches')).out, /agent\/qualifier.*rude/);
    assert.match((await run('agents')).out, /qualifier.*off/);
    assert.equal((await run('switches', 'on', 'agent/qualifier')).out, 'agent/qualifier: on\n');
    assert.equal((await run('switches', 'off', 'agent')).exit, 2);
  });

  it('reports outcomes, the week ahead, the audit, conversations, channels and topics in the width there is', async () => {
    for (const [args, shown] of [
      [['outcomes'], /DAY +ENDED/],
      [['outcomes', '--csv'], /^day,ended,COMPLETED,.*\r\n$/],
      [['calendar'], /HOUR +WAKE-UPS|nothing is due/],
      [['audit'], /runs\.attach/],
      [['conversations'], /CONVERSATION|no conversations/],
      [['channels'], /simulated/],
      [['topics'], /no run follows/],
    ] as const) {
      const { exit, out, err } = await run(...args);
      assert.deepEqual([exit, err], [0, '']);
      assert.match(out, shown);
      if (!args.includes('--csv' as never)) assert.ok(out.split('\n').every((line) => Array.from(line).length <= 100));
    }
    assert.equal((await run('conversations', 'show', '9')).exit, 3);
  });

  it('shows a conversation in lines: whose it is and with whom, and nothing that is not known', async () => {
    const { id, subject } = aConversation();
    const contact = { address: id, name: 'Ana' };
    await opened.desk.intake.store(fact(subject, { type: 'conversation.opened', time: OPENED, data: { contact } }));
    const { out, err } = await run('conversations', 'show', id, '--tenant', 'acme');
    assert.equal(err, '');
    assert.match(out, /^contact +Ana$/m);
    assert.match(out, new RegExp(`^state +open since ${OPENED}$`, 'm'));
    assert.doesNotMatch(out, /null|undefined|[{}]/);
  });

  it('tells events, says which do not fit, and opens a panel', async () => {
    const event = { ...VISIT, id: 'cli-1' };
    assert.equal((await run('events', 'tell', JSON.stringify(event))).out, 'cli-1: accepted\n');
    const mixed = await run('events', 'tell', JSON.stringify([event, { ...event, id: 'cli-2', type: 'nonsense' }]));
    assert.equal(mixed.exit, 2);
    assert.match(mixed.out, /cli-1: duplicate\ncli-2: rejected, /);
    assert.equal((await run('events', 'tell', '{')).exit, 2);
    const panel = await run('conversations', 'embed', '1', '--origin', 'https://crm.example', '--act', 'takeover');
    assert.match(panel.out, /^\/embed\/conversations\/1\?token=/);
  });

  it('does not wait for an answer in a conversation that a human has', async () => {
    const held = { tenant: 'demo' as TenantId, id: parseConversationId('77'), by: 'ana', at: '2026-11-29T12:00:00Z' };
    await opened.desk.conversations.setOwner({ ...held, owner: 'human' });
    const { exit, err } = await run('say', '77', 'Hi', '--wait', '1h');
    assert.deepEqual(
      [
        exit,
        /said, and no agent will answer: a human has the conversation\n.* handback demo\/conversation\/77/.test(err),
      ],
      [1, true],
      err,
    );
  });

  it('reads a dead letter again, and says what it held or why it still cannot be read', async () => {
    const event = { ...VISIT, id: 'l-1' };
    const letter = { tenant: 'demo' as TenantId, source: 'generic', problem: 'type: must be one of …' };
    for (const [body, seal, told] of [
      [JSON.stringify(event), sealOf('generic', SECRET), /: read now, 1 event stored\n$/],
      ['{}', sealOf('generic', SECRET), /still cannot be read: type: /],
      [JSON.stringify(event), sealOf('generic', 'another'), /no channel of kind "generic" in tenants\.demo\.channels/],
    ] as const) {
      await opened.desk.intake.storeUnreadable({ ...letter, body, seal });
      const [newest] = (await opened.desk.events.list({ tenant: letter.tenant, limit: 1 })).items;
      const { exit, out, err } = await run('events', 'redeliver', (newest?.key ?? '').slice(0, 12));
      assert.match(exit === 0 ? out : err, told);
    }
  });

  it('names an event by a beginning of its id or key, unless several begin so', async () => {
    const { tenant } = { tenant: 'demo' as TenantId };
    const event = { type: 'custom.visit', time: '2026-11-29T12:00:00Z', subject: 'conversation/1', data: {} } as const;
    for (const id of ['many-one', 'many-two'])
      await opened.desk.intake.store({ tenant, channel: null, event: { ...event, id, source: 'cli' } as never });
    assert.match((await run('events', 'show', 'many-o')).out, /^event +many-one$/m);
    const { exit, err } = await run('events', 'drop', 'many');
    assert.deepEqual([exit, /2 events begin with many; name one: /.test(err)], [2, true], err);
    const key = (await opened.desk.events.get(tenant, 'many-two'))?.key ?? '';
    assert.match((await run('events', 'show', key.slice(0, 13))).out, /^event +many-two$/m);
    assert.deepEqual([(await run('events', 'show', 'many%')).exit, (await run('events', 'show', '9-9-')).exit], [3, 3]);
  });

  it('watches until told to stop, and writes what changed only', async () => {
    let out = '';
    let looks = 0;
    const exit = await runCli(['runs', '--watch', '1s'], {
      version: '0.0.0',
      terminal: { out: (text) => (out += text), err: (text) => (out += text), columns: undefined },
      settings: () => ({ url: served.url, apiKey: undefined }),
      processes: {} as never,
      wait: async () => {
        looks += 1;
        if (looks === 2) await run('attach', 'qualifier', 'conversation/2');
        return looks < 4;
      },
    });
    const told = out.split('\n').filter((line) => line.startsWith('demo/conversation/2/')).length;
    assert.equal(exit, 0);
    // Ages of seconds change too: it is told again, never more often than it was looked at.
    assert.ok(told >= 1 && told <= 2, out);
  });

  it('watches every list, a screen of it, and no oftener than each second', async () => {
    const lists = [
      'runs',
      'stats',
      'investigations',
      'events',
      'deliveries',
      'bulk',
      'keys',
      'conversations',
      'switches',
    ];
    for (const list of [...lists, 'outcomes', 'calendar', 'audit', 'agents', 'channels', 'topics']) {
      let out = '';
      const exit = await runCli([list, '--watch', '1s'], {
        version: '0.0.0',
        terminal: { out: (text) => (out += text), err: (text) => (out += text), columns: 100, rows: 4 },
        settings: () => ({ url: served.url, apiKey: undefined }),
        processes: {} as never,
        wait: async () => Promise.resolve(false),
      });
      assert.equal(exit, 0, out);
      assert.ok(out.startsWith('\u001b[H\u001b[J') && out.split('\n').length <= 4, out);
    }
    const hasty = await run('runs', '--watch', '1ms');
    assert.deepEqual([hasty.exit, hasty.err], [2, 'error: --watch must be 1s or longer\n']);
  });

  it('completes commands, options and values that are known, in whichever of three shells are here', async () => {
    assert.ok(SHELLS.includes('bash'));
    for (const name of SHELLS) {
      const script = (await run('completion', name)).out;
      for (const [typed, offered] of [
        [['ke'], 'keys'],
        [['help', 'ke'], 'keys'],
        [['completion', 'f'], 'fish'],
        [['keys', 'r'], 'revoke rotate'],
        [['keys', 'create', 'robot', '--ro'], '--role'],
        [['keys', 'create', '--role', ''], 'admin operator viewer'],
        [['runs', '--status', 'COMP'], 'COMPLETED'],
        [['events', 'show', '--t'], '--tenant'],
        [['say', 'keys', '--ro'], ''],
      ] as const) {
        const lines = OFFERS[name]?.(script, typed).split('\n') ?? [];
        const words = lines
          .map((line) => line.split('\t')[0] ?? '')
          .filter((word) => word.startsWith(typed.at(-1) ?? ''));
        assert.equal(words.sort().join(' ').trim(), offered, `${name}: ${typed.join(' ')}`);
      }
    }
    assert.equal((await run('completion', 'tcsh')).exit, 2);
  });
});
