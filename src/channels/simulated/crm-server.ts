/**
 * A CRM's server that keeps the contract of docs/crm-channel.openapi.json, over real HTTP: the reference for whoever writes
 * one. With `faults` it breaks it in the ways servers do.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { jsonOf } from '../../domain/json.ts';
import { simulatorServer } from './simulator-http.ts';

const place = { tenant: z.string(), conversation: z.string() };
const named = { ...place, reference: z.string().min(1) };
const Request = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message.send'),
    ...named,
    address: z.string(),
    content: z.union([
      z.object({ kind: z.literal('text'), text: z.string().min(1) }),
      z.object({ kind: z.literal('template'), template: z.object({ name: z.string() }) }),
    ]),
  }),
  z.object({ type: z.literal('message.find'), ...named }),
  z.object({
    type: z.literal('message.list'),
    ...place,
    limit: z.int().min(1).max(100),
    cursor: z.string().optional(),
  }),
  z.object({ type: z.literal('conversation.close'), ...place }),
  z.object({ type: z.literal('conversation.handOff'), ...place, note: z.string().min(1), team: z.string().optional() }),
  z.object({ type: z.literal('note.add'), ...named, text: z.string().min(1) }),
]);
type Request = z.infer<typeof Request>;

const PATHS: Readonly<Record<string, Request['type']>> = {
  '/messages/send': 'message.send',
  '/messages/find': 'message.find',
  '/messages/list': 'message.list',
  '/conversations/close': 'conversation.close',
  '/conversations/hand-off': 'conversation.handOff',
  '/notes/add': 'note.add',
};

export interface CrmEntry {
  readonly id: string;
  readonly direction: 'out';
  readonly author: 'agent';
  readonly text: string | null;
  readonly private: boolean;
  readonly at: string;
  readonly reference: string | null;
}
/** `forgetsReferences`: the same message twice is two; `trustsAnybody`: no signature is checked; `findsNothing`; `plainErrors`: text instead of JSON; `parsesFirst`: the signature is checked over the body written again. */
export type CrmFault = 'forgetsReferences' | 'trustsAnybody' | 'findsNothing' | 'plainErrors' | 'parsesFirst';

export interface CrmServerOptions {
  readonly secret: string;
  readonly conversations: readonly string[];
  readonly faults?: readonly CrmFault[];
  /** Default: any free one. */
  readonly port?: number;
  /** Told of everything that is written there. */
  readonly onEntry?: (conversation: string, entry: CrmEntry) => void;
}
export interface RunningCrm {
  readonly url: string;
  readonly entries: ReadonlyMap<string, readonly CrmEntry[]>;
  readonly closed: ReadonlySet<string>;
  /** The next request is served, and its answer lost with the connection. */
  loseNextAnswer(): void;
  /** The next request is refused so, and nothing is done. */
  refuseNext(refusal: { readonly status: number; readonly body: unknown; readonly retryAfter?: number }): void;
  close(): Promise<void>;
}
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: number;
}

export async function startCrmServer(options: CrmServerOptions): Promise<RunningCrm> {
  const crm = new Crm(options);
  let losesNext = false;
  let refusal: Answer | undefined;
  const server = simulatorServer((request, response) => {
    void bodyOf(request).then((body) => {
      const answer = refusal ?? crm.serve(request, body);
      refusal = undefined;
      if (losesNext) request.socket.destroy();
      else write(response, answer, options.faults?.includes('plainErrors') === true);
      losesNext = false;
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/attache`,
    entries: crm.entries,
    closed: crm.closed,
    loseNextAnswer: () => void (losesNext = true),
    refuseNext: (next) => void (refusal = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class Crm {
  readonly entries = new Map<string, CrmEntry[]>();
  readonly closed = new Set<string>();
  private readonly options: CrmServerOptions;
  private made = 0;

  constructor(options: CrmServerOptions) {
    this.options = options;
    for (const conversation of options.conversations) this.entries.set(conversation, []);
  }

  serve({ url = '', headers }: IncomingMessage, body: string): Answer {
    const signed = this.has('parsesFirst') ? JSON.stringify(jsonOf(body)) : body;
    if (!this.has('trustsAnybody') && !isSigned(this.options.secret, headers as Record<string, string>, signed))
      return problem(401, 'bad_signature', 'signed by another secret, over other bytes, or too long ago');
    const parsed = Request.safeParse(jsonOf(body));
    const type = PATHS[url.replace(/^\/attache/, '')];
    if (!parsed.success || parsed.data.type !== type) return problem(400, 'invalid', 'does not fit the contract');
    const entries = this.entries.get(parsed.data.conversation);
    if (entries === undefined) return problem(404, 'conversation_not_found', 'there is no such conversation');
    return { status: 200, body: this.done(parsed.data, entries) };
  }

  private done(request: Request, entries: CrmEntry[]): unknown {
    switch (request.type) {
      case 'message.send':
        return this.once(request, entries, {
          text: request.content.kind === 'text' ? request.content.text : null,
          private: false,
        });
      case 'note.add':
        return this.once(request, entries, { text: request.text, private: true });
      case 'message.find': {
        const found = entries.find(({ reference }) => reference === request.reference);
        return { id: this.has('findsNothing') ? null : (found?.id ?? null) };
      }
      case 'message.list': {
        const from = Number(request.cursor ?? 0);
        const to = from + request.limit;
        return { items: entries.slice(from, to), nextCursor: to < entries.length ? String(to) : null };
      }
      case 'conversation.handOff':
        this.add(request.conversation, { text: request.note, private: true, reference: null });
        return {};
      case 'conversation.close':
        this.closed.add(request.conversation);
        return {};
    }
  }

  /** The heart of the contract: a reference exists once. */
  private once(
    { conversation, reference }: { readonly conversation: string; readonly reference: string },
    entries: CrmEntry[],
    what: Pick<CrmEntry, 'text' | 'private'>,
  ): { id: string } {
    const earlier = this.has('forgetsReferences') ? undefined : entries.find((one) => one.reference === reference);
    return { id: (earlier ?? this.add(conversation, { ...what, reference })).id };
  }

  private add(conversation: string, what: Pick<CrmEntry, 'text' | 'private' | 'reference'>): CrmEntry {
    const made = { id: `m${++this.made}`, direction: 'out', author: 'agent', at: new Date().toISOString() } as const;
    const entry = { ...made, ...what };
    this.entries.get(conversation)?.push(entry);
    this.options.onEntry?.(conversation, entry);
    return entry;
  }

  private has(fault: CrmFault): boolean {
    return this.options.faults?.includes(fault) === true;
  }
}

function problem(status: number, code: string, detail: string): Answer {
  return { status, body: { code, detail } };
}

function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function write(response: ServerResponse, { status, body, retryAfter }: Answer, plainErrors: boolean): void {
  const isPlain = plainErrors && status >= 400;
  response.writeHead(status, {
    'content-type': isPlain ? 'text/plain' : 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(isPlain ? 'Something went wrong' : JSON.stringify(body));
}
