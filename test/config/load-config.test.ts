import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../src/config/config-error.ts';
import type { Command, Config } from '../../src/config/config-type.ts';
import { readConfig } from '../../src/config/load-config.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';

const KEY = 'crm:operator:acme:0123456789abcdef';
const DATABASE = 'postgres://attache:secret@127.0.0.1:5432/attache';

/** Every field of `expected`, whatever else there is. */
function includes(actual: unknown, expected: object): void {
  for (const [key, value] of Object.entries(expected)) {
    const found = (actual as Record<string, unknown>)[key];
    if (typeof value === 'object' && value !== null) includes(found, value as object);
    else assert.equal(found, value, key);
  }
}

describe('configuration', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'attache-config-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  // HOME: Temporal's own tools keep a file of profiles there, which must not leak into a test.
  const read = (command: Command, env: Record<string, string> = {}): Config =>
    readConfig({ command, env: { HOME: folder, ...env }, folder });

  function problems(command: Command, env: Record<string, string> = {}): Record<string, string> {
    try {
      read(command, env);
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      for (const { path } of error.problems) assert.ok(error.message.includes(path));
      return Object.fromEntries(error.problems.map(({ path, message }) => [path, message]));
    }
    return {};
  }

  const tenants = (content: unknown): void =>
    writeFileSync(join(folder, 'attache.config.json'), JSON.stringify({ tenants: content }));

  it('needs nothing at all for dev: a demo tenant, an embedded database and Temporal, and loopback only', () => {
    const config = read('dev');
    assert.deepEqual(config.http, { host: '127.0.0.1', port: 8080 });
    assert.deepEqual(config.temporal, { kind: 'embedded', port: undefined, uiPort: undefined });
    assert.deepEqual(config.database, { kind: 'pglite', folder: join(folder, '.attache', 'desk') });
    assert.deepEqual(Object.keys(config.tenants), ['demo']);
    assert.deepEqual(Object.values(config.tenants)[0]?.channels, [{ kind: 'simulated' }]);
    assert.deepEqual(config.apiKeys, []);
    assert.equal(config.llm, null);
  });

  it('is frozen to the bottom', () => {
    const config = read('dev');
    assert.throws(() => Object.assign(config.http, { port: 1 }), TypeError);
    assert.throws(() => (config.apiKeys as unknown[]).push('x'), TypeError);
  });

  it('takes an empty variable for an unset one', () => {
    assert.equal(read('dev', { PORT: '', DATABASE_URL: '', ATTACHE_TEMPORAL_PORT: '' }).http.port, 8080);
  });

  it('reports every problem of the environment and of the file together, each with a remedy', () => {
    tenants({
      acme: { timeZone: 'Mars/Olympus', channels: [{ kind: 'whatsapp', phoneNumberId: '1' }] },
      'Not A Tenant': {},
    });
    const found = problems('server', {
      PORT: '99999',
      LOG_LEVEL: 'loud',
      ATTACHE_API_KEYS: 'short',
      DATABASE_URL: 'mysql://x',
      LLM_MODEL: 'm',
    });
    assert.match(found['PORT'] ?? '', /0 to 65535/);
    assert.match(found['LOG_LEVEL'] ?? '', /info/);
    assert.match(found['ATTACHE_API_KEYS[0]'] ?? '', /name:role:tenant:secret/);
    assert.match(found['DATABASE_URL'] ?? '', /postgres:\/\//);
    assert.match(found['LLM_BASE_URL'] ?? '', /required with LLM_MODEL/);
    assert.match(found['attache.config.json: tenants.acme.timeZone'] ?? '', /IANA/);
    assert.ok('attache.config.json: tenants.acme.channels.0.accessToken' in found);
    assert.ok('attache.config.json: tenants.Not A Tenant' in found);
  });

  it('fills ${NAME} in from the environment, and names the path when the variable is not set', () => {
    const channel = {
      kind: 'whatsapp',
      phoneNumberId: '100',
      accessToken: '${WA_TOKEN}',
      appSecret: 'a-${WA_SECRET}-z',
      verifyToken: 'v',
    };
    tenants({ acme: { channels: [channel] } });
    const config = read('dev', { WA_TOKEN: 't', WA_SECRET: 's' });
    includes(Object.values(config.tenants)[0]?.channels[0], {
      accessToken: 't',
      appSecret: 'a-s-z',
      apiUrl: 'https://graph.facebook.com/v26.0',
    });
    assert.deepEqual(problems('dev', { WA_TOKEN: 't', WA_SECRET: '' }), {
      'attache.config.json: tenants.acme.channels.0.appSecret':
        'needs the environment variable WA_SECRET, which is not set',
    });
  });

  it('tells a variable that is not set once, whatever its place makes of it', () => {
    tenants({ acme: { channels: [{ kind: 'generic', webhookSecret: '${CRM_WEBHOOK_SECRET}' }] } });
    assert.deepEqual(Object.keys(problems('dev')), ['attache.config.json: tenants.acme.channels.0.webhookSecret']);
    assert.match(Object.values(problems('dev'))[0] ?? '', /CRM_WEBHOOK_SECRET, which is not set/);
  });

  it('says where a file is not JSON, and when ATTACHE_CONFIG names none', () => {
    writeFileSync(join(folder, 'broken.json'), '{ "tenants": ');
    assert.match(problems('dev', { ATTACHE_CONFIG: 'broken.json' })['broken.json'] ?? '', /is not JSON/);
    assert.match(problems('dev', { ATTACHE_CONFIG: 'nowhere.json' })['ATTACHE_CONFIG'] ?? '', /ENOENT.*nowhere\.json/);
  });

  it('refuses one WhatsApp number in two tenants', () => {
    const channel = { kind: 'whatsapp', phoneNumberId: '100', accessToken: 'a', appSecret: 'b', verifyToken: 'c' };
    tenants({ acme: { channels: [channel] }, other: { channels: [channel] } });
    const found = problems('dev');
    assert.match(
      found['attache.config.json: tenants.other.channels.0'] ?? '',
      /same channel as tenants\.acme\.channels\.0/,
    );
  });

  it('refuses two Chatwoot accounts of a tenant whose conversations could not be told apart', () => {
    const account = (accountId: number, more: object = {}) => ({
      ...{
        kind: 'chatwoot',
        url: 'https://chatwoot.example.com',
        accountId,
        apiToken: 'a',
        webhookSecret: `secret of ${accountId}`,
        ...more,
      },
    });
    tenants({ acme: { channels: [account(1), account(2)] } });
    const path = 'attache.config.json: tenants.acme.channels.1';
    assert.match(problems('dev')[`${path}.conversationPrefix`] ?? '', /must differ/);
    tenants({ acme: { channels: [account(1), account(2, { conversationPrefix: 'support' })] } });
    assert.deepEqual(problems('dev'), {});
    const alike = { conversationPrefix: 'support', webhookSecret: 'b', botWebhookSecret: 'secret of 1' };
    tenants({ acme: { channels: [account(1), account(2, alike)] } });
    assert.match(problems('dev')[`${path}.botWebhookSecret`] ?? '', /is a secret of tenants\.acme\.channels\.0/);
    assert.deepEqual(Object.keys(problems('dev')), [`${path}.botWebhookSecret`]);
    const elsewhere = { url: 'https://other.example.com', conversationPrefix: 'support' };
    tenants({ acme: { channels: [account(1), account(1, elsewhere)] } });
    assert.match(problems('dev')[`${path}.accountId`] ?? '', /a tenant of its own/);
  });

  it('names webhook endpoints by their address, refuses two of one name, and plain http on the open network', () => {
    const secret = `whsec_${'A'.repeat(32)}`;
    const endpoint = { url: 'https://crm.example.com/hooks', secret };
    const near = { id: 'erp', url: 'http://127.0.0.1:9/', secret, types: ['run.ended'], allowPrivateNetwork: true };
    tenants({ acme: { webhooks: [endpoint, near] } });
    const [first, second] = Object.values(read('dev').tenants)[0]?.webhooks ?? [];
    assert.match(first?.id ?? '', /^[0-9a-f]{12}$/);
    assert.deepEqual([second?.id, second?.types], ['erp', ['run.ended']]);
    tenants({ acme: { webhooks: [endpoint, endpoint] } });
    assert.match(problems('dev')['attache.config.json: tenants.acme.webhooks.1.id'] ?? '', /names two endpoints/);
    tenants({ acme: { webhooks: [{ url: 'http://crm.example.com/', secret: 'short', types: ['run.begun'] }] } });
    const at = 'attache.config.json: tenants.acme.webhooks.0';
    assert.deepEqual(Object.keys(problems('dev')), [`${at}.secret`, `${at}.types.0`]);
    tenants({ acme: { webhooks: [{ ...endpoint, url: 'http://crm.example.com/' }] } });
    assert.match(problems('dev')[`${at}.url`] ?? '', /must begin with https/);
    for (const url of [near.url, 'http://localhost:9/', 'https://10.0.0.7/', 'https://[fd00::1]/']) {
      tenants({ acme: { webhooks: [{ ...near, url, allowPrivateNetwork: false }] } });
      assert.deepEqual(Object.keys(problems('dev')), [`${at}.allowPrivateNetwork`], url);
    }
  });

  it('takes a CRM’s own server for a channel only with a secret of its own', () => {
    const secret = (letter: string) => `whsec_${letter.repeat(32)}`;
    const channel = { kind: 'generic', webhookSecret: secret('A'), url: 'https://crm.example.com/attache' };
    const at = 'attache.config.json: tenants.acme.channels.0.signingSecret';
    tenants({ acme: { channels: [channel] } });
    assert.match(problems('dev')[at] ?? '', /is needed with url/);
    tenants({ acme: { channels: [{ ...channel, signingSecret: secret('A') }] } });
    assert.match(problems('dev')[at] ?? '', /must not be webhookSecret/);
    tenants({ acme: { channels: [{ ...channel, signingSecret: secret('B') }] } });
    assert.deepEqual(problems('dev'), {});
  });

  it('keeps of a policy override only what it names, so that the agent’s author decides the rest', () => {
    tenants({ acme: { agents: { 'lead-qualification': { policy: { maxTicks: 7, budgetUsd: 0.5 } } } } });
    const override = Object.values(Object.values(read('dev').tenants)[0]?.agents ?? {})[0]?.policy ?? {};
    assert.deepEqual(override, { maxTicks: 7, budgetUsd: 0.5 });
    assert.equal(resolvePolicy({ maxMessages: 5 }, override).maxMessages, 5);
    tenants({ acme: { agents: { 'lead-qualification': { policy: { maxTicks: 0, wat: 1 } } } } });
    assert.equal(Object.keys(problems('dev')).length, 2);
  });

  it('reads API keys, and says what is wrong with one without showing its secret', () => {
    const config = read('server', {
      ATTACHE_API_KEYS: `${KEY}, boss:admin:*:a:b:c:0123456789abc`,
      DATABASE_URL: DATABASE,
    });
    assert.deepEqual(config.apiKeys, [
      { name: 'crm', role: 'operator', tenant: 'acme', secret: '0123456789abcdef' },
      { name: 'boss', role: 'admin', tenant: '*', secret: 'a:b:c:0123456789abc' },
    ]);
    const bad = problems('dev', { ATTACHE_API_KEYS: `${KEY},crm:king:Acme!:hunter2-hunter2-x,x:viewer:*:tiny-secret` });
    assert.match(bad['ATTACHE_API_KEYS[2]'] ?? '', /at least 16 characters/);
    assert.doesNotMatch(JSON.stringify(bad), /hunter2|tiny-secret/);
    assert.match(JSON.stringify(bad), /used twice|role must be/);
  });

  it('requires keys and a database outside dev, and keys before dev listens to others', () => {
    assert.deepEqual(Object.keys(problems('server')), ['ATTACHE_API_KEYS', 'DATABASE_URL']);
    assert.deepEqual(Object.keys(problems('worker')), ['DATABASE_URL']);
    assert.deepEqual(Object.keys(problems('dev', { HOST: '0.0.0.0' })), ['HOST']);
    assert.deepEqual(problems('dev', { HOST: '0.0.0.0', ATTACHE_API_KEYS: KEY }), {});
    // Keys of a template whose variables were empty are none.
    assert.deepEqual(Object.keys(problems('dev', { HOST: '0.0.0.0', ATTACHE_API_KEYS: ',' })), ['HOST']);
    assert.deepEqual(problems('doctor'), {});
  });

  it('reads Temporal’s address, namespace and profile as Temporal’s own tools do', () => {
    const plain = read('worker', { DATABASE_URL: DATABASE });
    includes(plain.temporal, {
      kind: 'external',
      connection: { address: '127.0.0.1:7233' },
      namespace: 'default',
    });
    const env = { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_NAMESPACE: 'crm', TEMPORAL_API_KEY: 'k' };
    includes(read('dev', env).temporal, {
      kind: 'external',
      connection: { address: 'temporal.example:7233', apiKey: 'k', tls: true },
      namespace: 'crm',
    });
    assert.equal(problems('worker', { TEMPORAL_TLS: 'yes' })['TEMPORAL_TLS'], 'must be true or false');
    assert.match(problems('dev', { TEMPORAL_PROFILE: 'prod' })['TEMPORAL_PROFILE'] ?? '', /prod/);
  });

  it('refuses two embedded servers on one port, and encryption keys that would encrypt nothing', () => {
    assert.match(
      problems('dev', { ATTACHE_TEMPORAL_PORT: '7000', ATTACHE_TEMPORAL_UI_PORT: '7000' })[
        'ATTACHE_TEMPORAL_UI_PORT'
      ] ?? '',
      /choose another/,
    );
    assert.match(
      problems('dev', { ATTACHE_ENCRYPTION_KEYS: 'k:x' })['ATTACHE_ENCRYPTION_KEYS'] ?? '',
      /not in this version/,
    );
  });
});
