/**
 * The loop that all watchers share. A wake-up reads what has changed since the one before, by a cursor for each list;
 * on each new business day it begins at the first record again where days alone make a trouble of what stands still. What it
 * finds it tells as the effect `investigation.open`, signed by the record's id: seen again, it is an occurrence.
 */
import { z } from 'zod';
import { ms } from '../domain/durations.ts';
import { InvalidInputError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { localDate } from '../domain/local-time.ts';
import type { Outcome } from '../domain/outcomes.ts';
import { ErpId, LocalDate, type ErpKind, type ErpRecord, type ErpWhere } from '../domain/schemas/erp-records.ts';
import type { PolicyInput } from '../domain/schemas/policy.ts';
import { Duration, Instant } from '../domain/schemas/values.ts';
import type { ErpPage, ErpReads } from '../erp/erp.ts';
import { defineAgent, type Agent, type Tick } from './define-agent.ts';
import { openInvestigation } from './effects.ts';
import type { Investigator } from './investigate.ts';
import { reschedule } from './outcomes.ts';

/** Records read at once; also the most that may wait to be told, so that the state stays below 16 KB. */
const PAGE = 80;
/** What is left is read a second later: no wake-up holds its worker for long. */
const PAGES_OF_A_TICK = 5;
/** A run takes 20 effects, and 16 KB of them. */
const TOLD_AT_ONCE = 15;
/** A trouble whose record changes all day is not told again sooner than this. */
const TOLD_AGAIN_AFTER = '1h';
/** One that failed is tried again the next day, however long others rest. */
const FAILED_RESTS_FOR = '1d';
const MORE_IN = '1s';

/** Config that every watcher has. `restFor`: how long a trouble that was decided on, or went away, is not told again. */
export function watching(defaults: { readonly restFor: string }) {
  return { every: Duration.default('15m'), restFor: Duration.default(defaults.restFor) };
}

/**
 * A missed tick is logged and the next one is on time, for as long as it takes: an ERP that fails for days removes no
 * watcher. Changes come in bursts, and one wake-up a minute hears them all. Jitter spreads a fleet that starts at once.
 */
const POLICY: PolicyInput = {
  ...{ tickTimeout: '2m', retryAfter: '5m', maxConsecutiveFailures: 100, jitter: '60s' },
  // Longer than the feed of changes pauses: what changes together is heard together.
  debounce: { quiet: '8s', max: '60s' },
};

const State = z.strictObject({
  /** The business day whose records have been read from the first; null: none yet. */
  day: LocalDate.nullable(),
  /** One for each list. */
  cursors: z.array(z.string().max(500).nullable()),
  /** Found, and not yet told. */
  waiting: z.array(ErpId).max(PAGE),
  /** Not told again before these instants. */
  rests: z.record(ErpId, Instant),
});
type State = z.infer<typeof State>;

/** What a watcher's judgement may look at. */
export interface Watching<Config> {
  readonly config: Config;
  readonly erp: ErpReads;
  /** The business's date. */
  readonly today: string;
  readonly timeZone: string;
}

export interface Trouble {
  /** Of the record in trouble: names the investigation too. */
  readonly id: string;
  /** What was seen, in one sentence, without names of people. */
  readonly summary: string;
  readonly trigger: JsonObject;
}

interface WatcherDefinition<Kind extends ErpKind, Config extends z.ZodType> {
  readonly key: string;
  readonly version: number;
  readonly title: string;
  readonly config: Config;
  readonly kind: Kind;
  /** Each has a cursor; what leaves one is no trouble any more. */
  readonly lists: readonly ErpWhere<Kind>[];
  /** Do days alone make a trouble of a record that does not change? */
  readonly rereads: 'daily' | 'never';
  /** Which of these, or of what belongs to them, are in trouble. Rules, no language model. */
  judge(of: Watching<z.output<Config>>, records: readonly ErpRecord<Kind>[]): Promise<readonly Trouble[]>;
  readonly investigate: Investigator;
}

/** Declares a watcher; its `config` has the fields of {@link watching}. */
export function defineWatcher<
  Kind extends ErpKind,
  Config extends z.ZodType<z.output<z.ZodObject<ReturnType<typeof watching>>>>,
>(definition: WatcherDefinition<Kind, Config>): Agent {
  const { key, version, title, config, investigate } = definition;
  return defineAgent({
    ...{ key, version, title, config, investigate, answers: false, attachesTo: 'business', erp: true, policy: POLICY },
    state: State,
    initialState: () => ({ day: null, cursors: definition.lists.map(() => null), waiting: [], rests: {} }),
    wakeOn: ['record.changed', outcomeOf(key)],
    tick: async (tick) => wake(definition, tick),
  });
}

function outcomeOf(key: string): `custom.${string}` {
  return `custom.investigation.${key}`;
}

type WatcherTick<Config> = Tick<Config, State>;

async function wake<Kind extends ErpKind, Config extends z.ZodType>(
  definition: WatcherDefinition<Kind, Config>,
  tick: WatcherTick<z.output<Config>>,
): Promise<Outcome> {
  const { every, restFor } = tick.config as { every: string; restFor: string };
  const state = { ...tick.state, rests: restsAfter(definition.key, tick, restFor) };
  const isAhead = Date.parse(tick.dueAt) > Date.parse(tick.now);
  const concerns = tick.events.some(
    (event) => event.type === 'record.changed' && event.data.record === definition.kind,
  );
  if (tick.why === 'event' && isAhead && !concerns) return reschedule({ keep: true, state, why: 'looks again' });
  const look = new Look(definition, tick, state);
  await (state.waiting.length > 0 ? look.atWaiting() : look.atChanges());
  const told = look.found.slice(0, TOLD_AT_ONCE);
  const waiting = look.found.slice(TOLD_AT_ONCE, TOLD_AT_ONCE + PAGE).map(({ id }) => id);
  const isDone = waiting.length === 0 && !look.hasMore;
  return reschedule({
    in: isDone ? every : MORE_IN,
    why: isDone ? 'looks again' : 'has more to look at',
    state: {
      ...look.reached,
      waiting,
      rests: resting(
        state.rests,
        told.map(({ id }) => id),
        until(tick, TOLD_AGAIN_AFTER),
      ),
    },
    effects: told.map(({ id, summary, trigger }) => openInvestigation({ signature: id, summary, trigger })),
  });
}

/** One wake-up's reading. */
class Look<Kind extends ErpKind, Config extends z.ZodType> {
  readonly found: Trouble[] = [];
  hasMore = false;
  /** Day and cursors as this reading leaves them. */
  reached: State;
  private readonly definition: WatcherDefinition<Kind, Config>;
  private readonly of: Watching<z.output<Config>>;
  private readonly now: string;

  constructor(definition: WatcherDefinition<Kind, Config>, tick: WatcherTick<z.output<Config>>, state: State) {
    if (tick.erp === null) throw new Error(`${definition.key} was given no ERP to look at`);
    const { config, erp, now, tenant } = tick;
    const today = localDate(now, tenant.timeZone);
    this.definition = definition;
    this.of = { config, erp, today, timeZone: tenant.timeZone };
    this.now = now;
    const isNewDay = definition.rereads === 'daily' && state.day !== today;
    this.reached = { ...state, day: today, cursors: isNewDay ? state.cursors.map(() => null) : state.cursors };
  }

  /** Those that were too many to tell: are they still in trouble? */
  async atWaiting(): Promise<void> {
    const { waiting } = this.reached;
    const records = await Promise.all(waiting.map(async (id) => this.of.erp.get(this.definition.kind, id)));
    await this.judge(records.filter((record) => record !== undefined));
    this.hasMore = true;
  }

  async atChanges(): Promise<void> {
    let pages = PAGES_OF_A_TICK;
    for (const [n, where] of this.definition.lists.entries())
      for (let more = true; more;) {
        if (pages === 0 || this.found.length >= TOLD_AT_ONCE) {
          this.hasMore = true;
          return;
        }
        pages -= 1;
        more = await this.atPage(n, where);
      }
  }

  private async atPage(n: number, where: ErpWhere<Kind>): Promise<boolean> {
    const cursor = this.reached.cursors[n] ?? undefined;
    const page = await this.read(where, cursor);
    await this.judge(page.items);
    this.reached = { ...this.reached, cursors: this.reached.cursors.with(n, page.nextCursor) };
    return page.hasMore;
  }

  /** An ERP that was set up anew knows no cursor of before: from the first again. */
  private async read(where: ErpWhere<Kind>, cursor: string | undefined): Promise<ErpPage<ErpRecord<Kind>>> {
    const { kind } = this.definition;
    try {
      return await this.of.erp.list(kind, { where, cursor, limit: PAGE });
    } catch (error) {
      if (cursor === undefined || !(error instanceof InvalidInputError)) throw error;
      return this.of.erp.list(kind, { where, limit: PAGE });
    }
  }

  private async judge(records: readonly ErpRecord<Kind>[]): Promise<void> {
    if (records.length === 0) return;
    for (const trouble of await this.definition.judge(this.of, records)) {
      const rests = (this.reached.rests[trouble.id] ?? '') > this.now;
      if (!rests && !this.found.some(({ id }) => id === trouble.id)) this.found.push(trouble);
    }
  }
}

/** What became of its investigations: each that ended rests. */
function restsAfter(key: string, tick: WatcherTick<unknown>, restFor: string): State['rests'] {
  let { rests } = tick.state;
  for (const { type, data } of tick.events) {
    if (type !== outcomeOf(key)) continue;
    const ended = Ended.safeParse(data);
    if (!ended.success) continue;
    const { signature, status } = ended.data;
    rests = resting(rests, [signature], until(tick, status === 'failed' ? FAILED_RESTS_FOR : restFor));
  }
  return Object.fromEntries(Object.entries(rests).filter(([, end]) => end > tick.now));
}
const Ended = z.object({ signature: ErpId, status: z.string() });

/** At most {@link PAGE}: those that would be told again soonest are forgotten first. */
function resting(rests: State['rests'], ids: readonly string[], end: string): State['rests'] {
  const all = { ...rests, ...Object.fromEntries(ids.map((id) => [id, end])) };
  return Object.fromEntries(
    Object.entries(all)
      .sort(([, a], [, b]) => (a < b ? 1 : -1))
      .slice(0, PAGE),
  );
}

function until({ now }: Pick<Tick<unknown, unknown>, 'now'>, duration: string): string {
  return new Date(Date.parse(now) + ms(duration)).toISOString();
}
