import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createMetrics } from '../../src/telemetry/metrics.ts';

describe('metrics', () => {
  it('count ticks, sends, events and ends under our own words', async () => {
    const metrics = createMetrics();
    metrics.tickLag({ agent: 'follow-up', seconds: 2, alertAbove: 1 });
    metrics.tickLag({ agent: 'follow-up', seconds: -0.01, alertAbove: 1 });
    metrics.tickDone({ agent: 'follow-up', result: 'reschedule', seconds: 0.02 });
    metrics.effectDone({ kind: 'message.send', result: 'done' });
    metrics.eventTaken('duplicate');
    metrics.runEnded({ agent: 'follow-up', status: 'EXITED_ON_INBOUND', reason: 'customer_replied' });
    const text = await metrics.registry.metrics();
    assert.match(text, /attache_tick_lag_seconds_sum\{agent="follow-up"\} 2\n/);
    assert.match(text, /attache_ticks_late_total\{agent="follow-up"\} 1\n/);
    assert.match(text, /attache_tick_duration_seconds_count\{agent="follow-up",result="reschedule"\} 1/);
    assert.match(text, /attache_effects_total\{kind="message.send",result="done"\} 1/);
    assert.match(text, /attache_events_total\{result="duplicate"\} 1/);
    assert.match(
      text,
      /attache_runs_ended_total\{agent="follow-up",status="EXITED_ON_INBOUND",reason="customer_replied"\} 1/,
    );
  });

  it('are those that the guide names', async () => {
    const guide = readFileSync(new URL('../../docs/guide/operations.md', import.meta.url), 'utf8');
    const named = [...guide.matchAll(/attache_[a-z_]+/g)];
    const known = createMetrics()
      .registry.getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('attache_'));
    const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');
    assert.deepEqual([...new Set(named.map(([name]) => base(name)))].sort(), known.sort());
  });

  it('of two servers in one process do not mix', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.effectDone({ kind: 'message.send', result: 'done' });
    assert.doesNotMatch(await other.registry.metrics(), /attache_effects_total\{/);
  });
});
