import assert from 'node:assert/strict';
import { InvalidInputError } from '../../src/domain/errors.ts';
import { serveMetrics, type MetricsServer } from '../../src/processes/metrics-server.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

describe('what a worker shows of itself', () => {
  const metrics = createMetrics();
  let shown: MetricsServer;

  before(async () => {
    shown = await serveMetrics(metrics.registry, { host: '127.0.0.1', port: 0 });
  });
  after(async () => shown.close());

  it('is its counts, for Prometheus', async () => {
    metrics.tickDone({ agent: 'nudge', result: 'reschedule', seconds: 0.02 });
    const answer = await fetch(`${shown.url}/metrics`);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(await answer.text(), /attache_tick_duration_seconds_count\{agent="nudge",result="reschedule"\} 1/);
  });

  it('is that it lives, and nothing else', async () => {
    assert.equal((await fetch(`${shown.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${shown.url}/runs`)).status, 404);
  });

  it('refuses a port that is taken, naming the variable', async () => {
    const port = Number(new URL(shown.url).port);
    await assert.rejects(
      serveMetrics(metrics.registry, { host: '127.0.0.1', port }),
      (error) =>
        error instanceof InvalidInputError &&
        /ATTACHE_METRICS_PORT.*choose another port/.test(JSON.stringify(error.problems)),
    );
  });
});
