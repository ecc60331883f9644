/** `attache server`: the API, webhooks, intake and reconciler, for a Temporal and a database that others run. */
import { loadConfig } from './config.ts';
import { openFoundation } from './processes/foundation.ts';
import { settleIn } from './processes/home.ts';
import { startServer } from './processes/server-process.ts';
import { untilAskedToStop } from './processes/signals.ts';
import { VERSION } from './processes/version.ts';
import { targetOf } from './temporal/connection.ts';

/** @throws {ConfigError} */
export async function runServer(): Promise<void> {
  const config = await loadConfig('server');
  const foundation = await openFoundation(config);
  try {
    await settleIn(foundation, targetOf(config));
    const server = await startServer(foundation, targetOf(config));
    foundation.log.info({ url: server.url, version: VERSION }, 'server ready');
    await untilAskedToStop();
    await server.stop();
  } finally {
    await foundation.desk.close();
  }
}
