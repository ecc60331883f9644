/** Servers and workers in processes of their own, around one Temporal and one PostgreSQL, as in a deployment. */
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/temporal/embedded.ts';
import { freePort } from '../../src/machine/ports.ts';
import { launch, newPlace, printed, type Place, type Running } from './attache.ts';
import { temporalCli } from './binaries.ts';
import { createTestDatabase } from './desk.ts';
import { tenantApi, type TenantApi } from './tenant-api.ts';

const KEY = 'a-key-for-tests-only';

export interface Deployment {
  readonly place: Place;
  readonly databaseUrl: string;
  /** Temporal's, for as long as the deployment lives. */
  readonly temporalAddress: string;
  worker(): Promise<Running>;
  /** Its address, and the process. */
  server(): Promise<{ readonly url: string; readonly process: Running }>;
  api(url: string, tenant: string): TenantApi;
  killTemporal(): Promise<void>;
  /** On the same port and database. */
  restartTemporal(): Promise<void>;
  /** Everything, at once. */
  close(): Promise<void>;
}

/** @param config what `attache.config.json` says. Needs TEST_DATABASE_URL. */
export async function deploy(config: object): Promise<Deployment> {
  const place = newPlace();
  place.configure(config);
  const database = await createTestDatabase();
  const port = await freePort({ port: undefined, purpose: 'Temporal', variable: '' });
  const startTemporal = async () => startEmbeddedTemporal({ binary: temporalCli(), dataDir: place.dataDir, port });
  let temporal: EmbeddedTemporal = await startTemporal();
  const env = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    ATTACHE_API_KEYS: `test:admin:*:${KEY}`,
  };
  return {
    place,
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    async worker() {
      const running = launch({ place, command: 'worker', withAgents: true, env });
      await printed(running, /worker ready/);
      return running;
    },
    async server() {
      const running = launch({ place, command: 'server', withAgents: true, env });
      const [, url = ''] = await printed(running, /server ready at (\S+)/);
      return { url, process: running };
    },
    api: (url, tenant) => tenantApi(url, tenant, KEY),
    async killTemporal() {
      process.kill(temporal.pid, 'SIGKILL');
      await temporal.exited;
    },
    async restartTemporal() {
      temporal = await startTemporal();
    },
    async close() {
      place.leave();
      await database.drop();
    },
  };
}
