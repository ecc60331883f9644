import assert from 'node:assert/strict';
import { createMetrics } from '../../src/telemetry/metrics.ts';

describe('metrics', () => {
  it('count ticks, sends, events and ends under our own words', async () => {
    const metrics = createMetrics();
    metrics.tickLag({ agent: 'follow-up', seconds: 2 });
    metrics.tickLag({ agent: 'follow-up', seconds: -0.01 });
    metrics.tickDone({ agent: 'follow-up', result: 'reschedule', seconds: 0.02 });
    metrics.effectDone({ kind: 'message.send', result: 'done' });
    metrics.eventTaken('duplicate');
    metrics.runEnded({ agent: 'follow-up', status: 'EXITED_ON_INBOUND', reason: 'customer_replied' });
    const text = await metrics.registry.metrics();
    assert.match(text, /attache_tick_lag_seconds_sum\{agent="follow-up"\} 2\n/);
    assert.match(text, /attache_tick_duration_seconds_count\{agent="follow-up",result="reschedule"\} 1/);
    assert.match(text, /attache_effects_total\{kind="message.send",result="done"\} 1/);
    assert.match(text, /attache_events_total\{result="duplicate"\} 1/);
    assert.match(
      text,
      /attache_runs_ended_total\{agent="follow-up",status="EXITED_ON_INBOUND",reason="customer_replied"\} 1/,
    );
  });

  it('of two servers in one process do not mix', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.effectDone({ kind: 'message.send', result: 'done' });
    assert.doesNotMatch(await other.registry.metrics(), /attache_effects_total\{/);
  });
});
