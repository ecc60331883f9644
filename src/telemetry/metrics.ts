/** What the system counts, for Prometheus. Labels are closed sets of our own words: never an id, never a person. */
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { EffectKind } from '../domain/schemas/effects.ts';
import type { EndReason, TerminalStatus } from '../domain/statuses.ts';

export interface Metrics {
  readonly registry: Registry;
  /** Tick start minus `nextRunAt`, of ticks that fell due. `alertAbove`: the policy's `lagAlert`, all in seconds. */
  tickLag(of: { readonly agent: string; readonly seconds: number; readonly alertAbove: number }): void;
  tickDone(of: { readonly agent: string; readonly result: TickResult; readonly seconds: number }): void;
  /** By kind of effect: one perform, whatever became of it. */
  effectDone(of: { readonly kind: EffectKind; readonly result: EffectResult }): void;
  eventTaken(result: EventResult): void;
  /** A call to somebody else's service. `operation` and `outcome` as its port names them; the wait for our own limit left out. */
  dependencyCalled(of: DependencyCall): void;
  runEnded(of: { readonly agent: string; readonly status: TerminalStatus; readonly reason: EndReason }): void;
}

export interface DependencyCall {
  readonly dependency: 'erp';
  readonly operation: string;
  readonly outcome: string;
  readonly seconds: number;
}
export type TickResult = 'reschedule' | 'finish' | 'failed' | 'switched_off';
export type EffectResult = 'done' | 'parked' | 'refused' | 'failed' | 'unreachable';
export type EventResult = 'accepted' | 'duplicate' | 'dead';

/** From a wake-up on time (under 0.1 s) to a fleet that is hours behind. */
const LAG_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];
/** From a tick without a model (milliseconds) to the default tick time-out of 5 min. */
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/** A registry of its own for each call: two servers in one test process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const lag = new Histogram({
    name: 'attache_tick_lag_seconds',
    help: 'How late ticks started',
    labelNames: ['agent'],
    buckets: LAG_BUCKETS,
    registers,
  });
  const duration = new Histogram({
    name: 'attache_tick_duration_seconds',
    help: 'How long ticks took, by result',
    labelNames: ['agent', 'result'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const late = new Counter({
    name: 'attache_ticks_late_total',
    help: 'Due ticks that started later than the lagAlert of their policy',
    labelNames: ['agent'],
    registers,
  });
  const dependencies = new Histogram({
    name: 'attache_dependency_seconds',
    help: 'How long the services of others took to answer, by operation and outcome',
    labelNames: ['dependency', 'operation', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const effects = new Counter({
    name: 'attache_effects_total',
    help: 'Effects by what one perform came to',
    labelNames: ['kind', 'result'],
    registers,
  });
  const events = new Counter({
    name: 'attache_events_total',
    help: 'Events by how they were taken',
    labelNames: ['result'],
    registers,
  });
  const ends = new Counter({
    name: 'attache_runs_ended_total',
    help: 'Runs by how they ended',
    labelNames: ['agent', 'status', 'reason'],
    registers,
  });
  return {
    registry,
    tickLag({ agent, seconds, alertAbove }) {
      lag.observe({ agent }, Math.max(0, seconds));
      if (seconds > alertAbove) late.inc({ agent });
    },
    tickDone: ({ agent, result, seconds }) => duration.observe({ agent, result }, seconds),
    effectDone: ({ kind, result }) => effects.inc({ kind, result }),
    eventTaken: (result) => events.inc({ result }),
    dependencyCalled: ({ seconds, ...labels }) => dependencies.observe(labels, seconds),
    runEnded: ({ agent, status, reason }) => ends.inc({ agent, status, reason }),
  };
}
