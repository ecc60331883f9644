/** The API as a CRM's back end calls it: `fetch` and JSON, nothing of ours. */
import assert from 'node:assert/strict';
import { until } from './until.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Answer<Body = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface RunBody extends Json {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly actor: string | null;
  readonly phase: string | null;
  readonly nextRunAt: string | null;
  readonly ticks: number;
  readonly failures: number;
  readonly pendingEffects: readonly { readonly state: string; readonly reason: string | null }[];
  readonly pending?: boolean;
}

export interface MessageBody extends Json {
  readonly direction: 'in' | 'out';
  readonly author: string;
  readonly text: string | null;
  readonly status: string | null;
}

/** After a tick, and with all done that the tick decided but what waits for something. */
export function asleep({ phase, ticks, pendingEffects }: RunBody): boolean {
  return phase === 'asleep' && ticks > 0 && pendingEffects.every(({ state }) => state === 'parked');
}

export type Act = 'detach' | 'takeover' | 'pause' | 'resume' | 'snooze' | 'wake';

export interface TenantApi {
  /** The address of a path outside the tenant's own. */
  at(path: string): string;
  webhook(channel: string): string;
  get<Body = Json>(path: string): Promise<Answer<Body>>;
  post<Body = Json>(path: string, body?: unknown): Promise<Answer<Body>>;
  /** The bytes as they are. */
  postRaw(path: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Answer>;
  attach(conversation: string, more?: Json): Promise<Answer<RunBody & { run: RunBody; code: string }>>;
  act(conversation: string, act: Act, body?: Json): Promise<Answer<RunBody & { code: string }>>;
  run(conversation: string, slot?: string): Promise<RunBody>;
  messages(conversation: string): Promise<readonly MessageBody[]>;
  /** What was said to the customer, in order. */
  said(conversation: string): Promise<readonly string[]>;
  /** The customer writes, by POST /events. */
  hears(conversation: string, text: string, id?: string): Promise<Answer>;
  /** The run, once it is as `wanted`. */
  runWhen(conversation: string, what: string, wanted: (run: RunBody) => boolean): Promise<RunBody>;
}

let count = 0;

/** @param address a function where the server may move, e.g. over a restart. */
export function tenantApi(address: string | (() => string), tenant: string, key?: string): TenantApi {
  const at = (path: string) => `${typeof address === 'string' ? address : address()}${path}`;
  const auth: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };

  async function ask<Body>(path: string, init: RequestInit): Promise<Answer<Body>> {
    const response = await fetch(at(`/v1/tenants/${tenant}${path}`), {
      ...init,
      headers: { ...auth, ...(init.headers as object) },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }

  const api: TenantApi = {
    at,
    webhook: (channel) => at(`/webhooks/${channel}/${tenant}`),
    get: async (path) => ask(path, {}),
    post: async (path, body = {}) =>
      ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    postRaw: async (path, body, headers = { 'content-type': 'application/json' }) =>
      ask(path, { method: 'POST', headers, body }),
    attach: async (conversation, more = {}) =>
      api.post('/runs', { agent: 'lead-qualification', subject: `conversation/${conversation}`, ...more }),
    act: async (conversation, act, body) => api.post(`/runs/conversation/${conversation}/answering/${act}`, body),
    async run(conversation, slot = 'answering') {
      const { status, body } = await api.get<RunBody>(`/runs/conversation/${conversation}/${slot}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },
    async messages(conversation) {
      const path = `/conversations/${conversation}/messages?limit=200`;
      const { status, body } = await api.get<{ items: readonly MessageBody[] }>(path);
      return status === 404 ? [] : body.items;
    },
    said: async (conversation) =>
      (await api.messages(conversation)).filter(({ direction }) => direction === 'out').map(({ text }) => text ?? ''),
    hears: async (conversation, text, id = `said-${++count}`) =>
      api.post('/events', {
        id,
        source: 'test',
        type: 'message.inbound',
        time: new Date().toISOString(),
        subject: `conversation/${conversation}`,
        data: { content: { kind: 'text', text } },
      }),
    runWhen: async (conversation, what, wanted) =>
      until(`conversation ${conversation} to be ${what}`, async () => {
        const run = await api.run(conversation);
        return wanted(run) && run;
      }),
  };
  return api;
}
