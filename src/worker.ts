/** `attache worker`: ticks and effects, for a Temporal and a database that others run. */
import { loadConfig, type Config } from './config.ts';
import { InvalidInputError } from './domain/errors.ts';
import { openFoundation, type Foundation } from './processes/foundation.ts';
import { serveMetrics, type MetricsServer } from './processes/metrics-server.ts';
import { settleIn } from './processes/home.ts';
import { untilAskedToStop } from './processes/signals.ts';
import { VERSION } from './processes/version.ts';
import { QUEUES, startWorker, type Queue } from './processes/worker-process.ts';
import { targetOf } from './temporal/connection.ts';

/** @throws {ConfigError} @throws {InvalidInputError} for a queue that does not exist. */
export async function runWorker({ queues }: { readonly queues?: readonly string[] }): Promise<void> {
  const config = await loadConfig('worker');
  const foundation = await openFoundation(config);
  try {
    await settleIn(foundation, targetOf(config));
    const worker = await startWorker(foundation, targetOf(config), queues?.map(queueOf));
    const shown = await showMetrics(foundation, config);
    const ready = { version: VERSION, queues: queues ? [...queues] : [...QUEUES], metrics: shown?.url };
    foundation.log.info(ready, 'worker ready');
    await Promise.race([untilAskedToStop(), worker.done]);
    await worker.stop();
    await shown?.close();
  } finally {
    await foundation.desk.close();
  }
}

async function showMetrics({ metrics }: Foundation, { http, metricsPort }: Config): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  return serveMetrics(metrics.registry, { host: http.host, port: metricsPort });
}

function queueOf(name: string): Queue {
  const queue = QUEUES.find((known) => known === name);
  if (queue === undefined)
    throw new InvalidInputError([{ path: '--queues', message: `must be some of ${QUEUES.join(', ')}, not ${name}` }]);
  return queue;
}
