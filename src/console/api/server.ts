/** The API, one function a route: the only file that knows its paths. */
import { queryOf, type Ask } from './ask.ts';
import type { Investigation, InvestigationSummary } from '../../domain/schemas/investigations.ts';
import type { RunName } from '../addresses.ts';
import type {
  ActBody,
  ActedRun,
  ActName,
  AgentView,
  AuditEntry,
  Bulk,
  Calendar,
  Channel,
  Conversation,
  Endpoint,
  EventRecord,
  MessageRecord,
  OneDelivery,
  Outcomes,
  Page,
  ReceiptLine,
  Run,
  RunCounts,
  RunRow,
  Stats,
  Switch,
  TimelineEntry,
  WebhookDelivery,
} from './shapes.ts';

/** What a list of runs may be narrowed by, as it stands in the address. */
export interface RunFilter {
  readonly status?: string | undefined;
  readonly phase?: string | undefined;
  readonly reason?: string | undefined;
  readonly agent?: string | undefined;
  readonly version?: string | undefined;
  /** A duration: live and due within it. */
  readonly due?: string | undefined;
  /** Instants: live, and to wake or to send what waits at or after, and before. */
  readonly plannedFrom?: string | undefined;
  readonly plannedTo?: string | undefined;
  /** `true`: its latest wake-up failed. */
  readonly failing?: string | undefined;
  /** US dollars, at least. */
  readonly cost?: string | undefined;
  /** Words: a conversation, a contact, a run. */
  readonly q?: string | undefined;
  readonly subject?: string | undefined;
  readonly endedFrom?: string | undefined;
  readonly endedTo?: string | undefined;
}

export interface OutcomesQuery {
  readonly by: 'day' | 'agent' | 'version';
  readonly from?: string | undefined;
  readonly agent?: string | undefined;
  readonly version?: string | undefined;
}

type Read = { readonly signal?: AbortSignal };
/** What a list opens with: twice what a screen holds. */
export const FIRST_PAGE = 50;
const PAGE_SIZE = 200;

export type Server = ReturnType<typeof createServer>;

export function createServer(ask: Ask, tenant: string) {
  const base = `/v1/tenants/${encodeURIComponent(tenant)}`;
  const get = <Answer>(path: string, { signal }: Read = {}) => ask<Answer>(`${base}${path}`, { signal });
  const post = <Answer>(path: string, body: object = {}) => ask<Answer>(`${base}${path}`, { method: 'POST', body });
  return {
    tenant,
    streamAddress: `${base}/stream`,

    /** All attachments about one subject, the newest first: the cheapest read of a run that is known. */
    runsAbout: (subject: string) => get<Page<RunRow>>(`/runs${queryOf({ subject, limit: PAGE_SIZE })}`),
    runs: (filter: RunFilter, page: { cursor?: string | undefined; limit?: number }, read?: Read) =>
      get<Page<RunRow>>(
        `/runs${queryOf({ ...conditions(filter), ...sorted(filter), limit: page.limit ?? PAGE_SIZE, cursor: page.cursor })}`,
        read,
      ),
    counts: (filter: RunFilter, read?: Read) => get<RunCounts>(`/runs/counts${queryOf(conditions(filter))}`, read),
    run: ({ subject, slot, id }: RunName, read?: Read) => get<Run>(`/runs/${subject}/${slot}${queryOf({ id })}`, read),
    timeline: ({ subject, slot, id }: RunName, page: { cursor?: string | undefined; limit: number }, read?: Read) =>
      get<Page<TimelineEntry>>(`/runs/${subject}/${slot}/timeline${queryOf({ id, ...page })}`, read),
    act: ({ subject, slot }: RunName, act: ActName, body: ActBody) =>
      post<ActedRun>(`/runs/${subject}/${slot}/${act}`, body),

    /** Whatever is to be done: it is the same runs. */
    countBulk: async (filter: object) =>
      post<{ readonly total: number }>('/bulk', { action: 'wake', filter, dryRun: true }),
    beginBulk: (action: string, filter: object, body: object) => post<Bulk>('/bulk', { action, filter, ...body }),
    bulk: (id: string) => get<Bulk>(`/bulk/${id}`),
    cancelBulk: (id: string) => post<Bulk>(`/bulk/${id}/cancel`),
    receipt: (id: string, cursor?: string) =>
      get<Page<ReceiptLine>>(`/bulk/${id}/receipt${queryOf({ limit: PAGE_SIZE, cursor })}`),

    conversation: (id: string, read?: Read) => get<Conversation>(`/conversations/${encodeURIComponent(id)}`, read),
    agents: async (read?: Read) => (await get<Page<AgentView>>('/agents', read)).items,
    outcomes: (query: OutcomesQuery, read?: Read) => get<Outcomes>(`/outcomes${queryOf({ ...query })}`, read),
    /** To be followed: the server answers it as a file. */
    outcomesCsv: (query: OutcomesQuery) => `${base}/outcomes${queryOf({ ...query, format: 'csv' })}`,
    calendar: (read?: Read) => get<Calendar>('/calendar', read),

    messages: (conversation: string, cursor?: string, read?: Read) =>
      get<Page<MessageRecord>>(
        `/conversations/${encodeURIComponent(conversation)}/messages${queryOf({ limit: 100, cursor })}`,
        read,
      ),
    /** To be followed: the file of a message; of several, the one of this number, from 0. */
    fileAddress: ({ conversation, id }: Pick<MessageRecord, 'conversation' | 'id'>, file: number) =>
      `${base}/conversations/${encodeURIComponent(conversation)}/messages/${encodeURIComponent(id)}/media${queryOf({ file })}`,
    stats: (read?: Read) => get<Stats>('/stats', read),

    deadLetters: (cursor?: string, read?: Read) =>
      get<Page<EventRecord>>(`/events${queryOf({ status: 'dead', limit: 50, cursor })}`, read),
    redeliverEvent: (key: string) => post<EventRecord>(`/events/${encodeURIComponent(key)}/redeliver`),
    dropEvent: (key: string) => post<EventRecord>(`/events/${encodeURIComponent(key)}/drop`),

    deliveries: (filter: { status?: string; endpoint?: string }, cursor?: string, read?: Read) =>
      get<Page<WebhookDelivery>>(`/deliveries${queryOf({ ...filter, limit: 50, cursor })}`, read),
    delivery: (id: string, read?: Read) => get<OneDelivery>(`/deliveries/${encodeURIComponent(id)}`, read),
    redeliver: (id: string) => post<WebhookDelivery>(`/deliveries/${encodeURIComponent(id)}/redeliver`),
    endpoints: async (read?: Read) => (await get<Page<Endpoint>>('/webhook-endpoints', read)).items,
    switchEndpoint: (id: string, change: { enabled: boolean; redeliverHeld?: boolean; reason?: string }) =>
      ask<Endpoint>(`${base}/webhook-endpoints/${encodeURIComponent(id)}`, { method: 'PUT', body: change }),

    audit: (filter: Readonly<Record<string, string>>, cursor?: string, read?: Read) =>
      get<Page<AuditEntry>>(`/audit${queryOf({ ...filter, limit: 50, cursor })}`, read),

    investigations: (filter: { status?: string | undefined }, cursor?: string, read?: Read) =>
      get<Page<InvestigationSummary>>(`/investigations${queryOf({ ...filter, limit: 50, cursor })}`, read),
    investigation: (id: string, read?: Read) => get<Investigation>(`/investigations/${encodeURIComponent(id)}`, read),
    decide: (id: string, decision: 'approve' | 'reject', body: { reason: string | undefined; proposalHash: string }) =>
      post<Investigation>(`/investigations/${encodeURIComponent(id)}/${decision}`, body),

    confirm: (id: string, step: string, yes: boolean) =>
      post<Investigation>(`/investigations/${encodeURIComponent(id)}/answer`, {
        step,
        answer: { kind: 'confirmation', yes },
      }),

    channels: async (read?: Read) => (await get<Page<Channel>>('/channels', read)).items,
    switches: async (read?: Read) => (await get<Page<Switch>>('/switches', read)).items,
    switchOff: ({ scope, key }: Pick<Switch, 'scope' | 'key'>, reason: string) =>
      ask<Switch>(`${base}/switches/${scope}/${key}`, { method: 'PUT', body: { reason } }),
    switchOn: ({ scope, key }: Pick<Switch, 'scope' | 'key'>) =>
      ask<undefined>(`${base}/switches/${scope}/${key}`, { method: 'DELETE' }),
  };
}

/** In the API's own names. */
function conditions({ due, cost, ...filter }: RunFilter) {
  return { ...filter, dueWithin: due, costMin: cost };
}

/** What is in trouble first; of those that are due, the next first. */
function sorted({ due, plannedTo }: RunFilter) {
  return { sort: due === undefined && plannedTo === undefined ? 'trouble' : 'due' };
}
