import assert from 'node:assert/strict';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import {
  crashLoop,
  OUTAGE_DEADLINE_MS,
  OUTAGE_MIN_ATTEMPTS,
  outageOf,
  tickFailure,
  TickTimeoutError,
  UnknownAgentError,
  type FailedAttempt,
} from '../../src/activities/failures.ts';
import { InvalidOutcomeError, ProviderOutageError } from '../../src/domain/errors.ts';
import { ErpError } from '../../src/erp/erp-error.ts';
import { CRASH_LOOP, PROVIDER_OUTAGE, TICK_FAULT, type FailureDetail } from '../../src/workflows/activity-types.ts';

const FIRST: FailedAttempt = { number: 1, sinceScheduledMs: 0, shuttingDown: false };

function judged(error: unknown, attempt: Partial<FailedAttempt> = {}): ApplicationFailure {
  const failure = tickFailure(error, { ...FIRST, ...attempt });
  assert.ok(failure instanceof ApplicationFailure);
  return failure;
}
function faultOf(failure: ApplicationFailure): string | undefined {
  return (failure.details as FailureDetail[] | undefined)?.[0]?.fault;
}
function thrown(message: string, fields: object, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), fields);
}

describe('a failed tick', () => {
  it('is the agent’s fault when the agent threw, and is not retried within the wake-up', () => {
    const failure = judged(new RangeError('no such index'));
    assert.deepEqual([failure.type, failure.nonRetryable, faultOf(failure)], [TICK_FAULT, true, 'RangeError']);
    assert.equal(faultOf(judged('a string')), 'thrown value');
    assert.equal(faultOf(judged(new TickTimeoutError('longer than 5m'))), 'tick timed out');
  });

  it('says at which line of the agent it was thrown, and names a broken rule once', () => {
    const [crash] = judged(new RangeError('no such index')).details as FailureDetail[];
    assert.match(crash?.message ?? '', /^no such index \(activities\/failures\.test\.ts:\d+\)$/);
    const broken = new InvalidOutcomeError({ rule: 'next_run_in_past', message: 'it has passed' });
    const [detail] = judged(broken).details as FailureDetail[];
    assert.match(detail?.message ?? '', /^it has passed \(activities\//);
  });

  it('names the rule that an outcome broke', () => {
    const failure = judged(new InvalidOutcomeError({ rule: 'next_run_in_past', message: 'it has passed' }));
    assert.equal(faultOf(failure), 'invalid outcome, next_run_in_past');
  });

  it('is nobody’s fault when the worker is shut down or does not know the agent', () => {
    const shutDown = judged(new Error('whatever'), { shuttingDown: true });
    const unknown = judged(new UnknownAgentError('no worker here knows it'));
    for (const failure of [shutDown, unknown]) assert.equal(failure.nonRetryable, false);
    assert.deepEqual([shutDown.type, unknown.type], ['WorkerShutdown', 'UnknownAgent']);
  });

  it('leaves a cancellation and what is already judged as they are', () => {
    for (const failure of [new CancelledFailure('gone'), crashLoop(5)])
      assert.equal(tickFailure(failure, FIRST), failure);
  });

  it('that kills its workers is a crash loop', () => {
    const failure = crashLoop(5);
    assert.deepEqual([failure.type, failure.nonRetryable], [CRASH_LOOP, true]);
    assert.match(failure.message, /^5 attempts in a row/);
  });
});

describe('an outage', () => {
  it('is recognised behind whatever a client has thrown', () => {
    const outages = [
      new ProviderOutageError({ provider: 'llm', message: 'down' }),
      thrown('busy', { status: 429 }),
      thrown('busy', { statusCode: 503 }),
      thrown('slow', { name: 'TimeoutError' }),
      thrown('fetch failed', {}, thrown('connect', { code: 'ECONNREFUSED' })),
      thrown('request timeout', { status: 408 }),
    ];
    for (const error of outages) assert.ok(outageOf(error), error.message);
    const limited = new ErpError({ failure: 'rate_limited', code: 'x', message: 'later', retryAfterMs: 7_000 });
    assert.deepEqual(outageOf(limited), { message: 'later', retryAfterMs: 7_000 });
  });

  it('is not what the agent did wrong', () => {
    const faults = [
      thrown('bad request', { status: 400 }),
      thrown('bad key', { statusCode: 401 }),
      thrown('wrapped', {}, new TickTimeoutError('longer than 5m')),
      thrown('wrapped', {}, new InvalidOutcomeError({ rule: 'state_invalid', message: 'x' })),
      new ErpError({ failure: 'permanent', code: 'x', message: 'never' }),
      new Error('boom'),
      'a string',
    ];
    for (const error of faults) assert.equal(outageOf(error), null);
  });

  it('is retried in the wake-up with growing pauses, widely enough to outlive a blip of a minute', () => {
    const pauses = Array.from({ length: OUTAGE_MIN_ATTEMPTS }, (_, n) =>
      judged(thrown('busy', { status: 500 }), { number: n + 1, sinceScheduledMs: 0 }),
    );
    assert.deepEqual(
      pauses.map((failure) => Number(failure.nextRetryDelay)),
      [1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
    );
    assert.ok(pauses.every(({ nonRetryable, type }) => nonRetryable !== true && type === PROVIDER_OUTAGE));
  });

  it('honours Retry-After up to the deadline, and postpones beyond it', () => {
    const asking = (seconds: string) => thrown('busy', { status: 429, responseHeaders: { 'retry-after': seconds } });
    assert.deepEqual([judged(asking('90')).nextRetryDelay, judged(asking('90')).nonRetryable], [90_000, false]);
    assert.equal(judged(asking('3600')).nonRetryable, true);
  });

  it('postpones once the deadline has passed and it was tried often enough, however long a queue took', () => {
    const late = { sinceScheduledMs: OUTAGE_DEADLINE_MS };
    const outage = thrown('busy', { status: 503 });
    assert.equal(judged(outage, { ...late, number: 1 }).nonRetryable, false);
    assert.equal(judged(outage, { ...late, number: OUTAGE_MIN_ATTEMPTS }).nonRetryable, true);
  });
});
