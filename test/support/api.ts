/** The API in memory, over fakes that a test can reach into. */
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { AgentKey, Slot } from '../../src/domain/ids.ts';
import type { HttpDeps } from '../../src/http/deps.ts';
import { attachAfterEnd } from '../../src/client/attach-after-end.ts';
import { createHandBacks } from '../../src/intake/hand-back.ts';
import type { AcceptedItem } from '../../src/intake/intake.ts';
import { createApp } from '../../src/http/app.ts';
import { createChangeFeed } from '../../src/http/change-feed.ts';
import type { IntakeItem } from '../../src/desk/desk.ts';
import { SILENT } from './given.ts';
import { FakeDesk } from './fake-desk.ts';
import { FakeRuns } from './fake-runs.ts';

const qualifier = defineAgent({
  key: 'qualifier',
  version: 1,
  title: 'Asks',
  answers: true,
  attachesTo: 'conversation',
  config: z.strictObject({ questions: z.array(z.strictObject({ text: z.string() })).default([]) }),
  state: z.strictObject({}),
  initialState: () => ({}),
  wakeOn: ['message.inbound'],
  tick: () => {
    throw new Error('nothing ticks here');
  },
});
const watcher = defineAgent({
  key: 'watcher',
  version: 1,
  title: 'Watches',
  answers: false,
  attachesTo: 'business',
  config: z.strictObject({}),
  state: z.strictObject({}),
  initialState: () => ({}),
  wakeOn: [],
  tick: () => {
    throw new Error('nothing ticks here');
  },
});

/** Needs what the tenants of these tests do not have. */
const bookkeeper = { ...watcher, key: 'bookkeeper' as AgentKey, slot: 'bookkeeper' as Slot, erp: true };

export interface TestApi {
  readonly desk: FakeDesk;
  readonly runs: FakeRuns;
  readonly accepted: IntakeItem[];
  readonly logged: string[];
  readonly deps: HttpDeps;
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** JSON in; status and JSON out. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Answer; headers: Headers }>;
}
/** Whatever the API answered: tests assert on it member by member. */
export interface Answer {
  [member: string]: unknown;
  code: string;
  errors: { path: string; message: string }[];
  items: Record<string, unknown>[];
}

export function testApi(change: Partial<HttpDeps> = {}): TestApi {
  const desk = new FakeDesk();
  const runs = new FakeRuns();
  const accepted: IntakeItem[] = [];
  const logged: string[] = [];
  const agents = new Map([qualifier, watcher, bookkeeper].map((agent) => [agent.key as string, agent]));
  const deps: HttpDeps = {
    version: '0.0.0',
    desk: desk.asDesk(),
    runs,
    investigations: {
      decide: async () => Promise.resolve({ result: 'over' }),
      answer: async () => Promise.resolve({ result: 'over' }),
    },
    linkSecret: null,
    agents: { get: (key) => agents.get(key), list: () => [...agents.values()] },
    intake: {
      async accept(items) {
        return items.map((item): AcceptedItem => {
          const again = accepted.some(({ event }) => event.id === item.event.id);
          if (!again) accepted.push(item);
          return { result: again ? 'duplicate' : 'accepted' };
        });
      },
      redeliver: async () => undefined,
    },
    webhooks: {
      whatsapp: { handshake: () => ({ refused: 'not_configured' }), receive: () => ({ refused: 'bad_signature' }) },
      chatwoot: { receive: () => ({ refused: 'bad_signature' }) },
      generic: { receive: () => ({ refused: 'bad_signature' }) },
      readAgain: () => ({ doubted: 'no webhooks here' }),
    },
    webhookEndpoints: () => [],
    changes: createChangeFeed({ log: (change.desk ?? desk.asDesk()).changes, failed: () => undefined }),
    console: { folder: '/nowhere' },
    embedOrigin: () => null,
    policyOf: () => ({}),
    tenants: {
      has: (id) => id !== 'nobody',
      hasErp: () => false,
      isApprover: (_, person) => person === 'ana',
      list: () => ['demo', 'acme'].map((id) => ({ id: id as never, name: id, timeZone: 'UTC' })),
    },
    keys: [],
    temporalWeb: 'https://temporal.example/namespaces/default',
    temporal: { ping: async () => undefined, missingSearchAttributes: async () => [] },
    metrics: { contentType: 'text/plain', text: async () => 'attache_up 1\n' },
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields, message) => logged.push(`${message} ${JSON.stringify(fields)}`),
    },
    handBacks: createHandBacks({
      desk: change.desk ?? desk.asDesk(),
      attach: async (options) => attachAfterEnd(runs, options),
      automatic: [],
      log: SILENT,
    }),
    fanOuts: {
      act: async () => {
        throw new Error('no bulk acts here');
      },
    },
    channelsOf: (tenant) => (tenant === 'demo' ? [{ key: 'simulated', kind: 'simulated' }] : []),
    channelFor: (tenant) => (tenant === 'demo' ? 'simulated' : null),
    ...change,
  };
  const app = createApp(deps);
  return {
    ...{ desk, runs, accepted, logged, deps },
    ask: async (path, init) => app.request(path, init),
    async send(method, path, body, headers = {}) {
      const init =
        body === undefined
          ? { method, headers }
          : {
              method,
              headers: { 'content-type': 'application/json', ...headers },
              body: typeof body === 'string' ? body : JSON.stringify(body),
            };
      const response = await app.request(path.startsWith('/v1') ? path : `/v1/tenants/demo${path}`, init);
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: (text === '' ? {} : JSON.parse(text)) as Answer,
      };
    },
  };
}
