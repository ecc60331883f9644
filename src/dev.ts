/** `attache dev`, which is `npm start`: Temporal, desk, worker, server and a demo, in one process tree. */
import { loadConfig, type Config } from './config.ts';
import { seedDemo, welcome } from './processes/demo.ts';
import { openFoundation } from './processes/foundation.ts';
import { settleIn } from './processes/home.ts';
import { startServer } from './processes/server-process.ts';
import { untilAskedToStop } from './processes/signals.ts';
import { startWorker } from './processes/worker-process.ts';
import { findTemporalCli } from './temporal/binaries.ts';
import { embeddedTarget, targetOf } from './temporal/connection.ts';
import { claimDevState, readDevState, type DevClaim } from './temporal/dev-state.ts';
import { startEmbeddedTemporal } from './temporal/embedded.ts';
import { freePort } from './machine/ports.ts';

/** How to stop what has been started, in order of starting. */
type Stops = (() => Promise<void> | void)[];

/** @throws {ConfigError} @throws {DevRunningError} @throws {PortTakenError} each saying what to do. */
export async function runDev(): Promise<void> {
  const config = await loadConfig('dev');
  const asked = untilAskedToStop();
  const stops: Stops = [];
  try {
    // Said at once, not after all the rest has started, and before there is a folder; but who holds the folder goes first.
    const isNew = readDevState(config.dataDir) === undefined;
    if (isNew) await portIsFree(config);
    const claim = claimDevState(config.dataDir);
    stops.push(() => claim.release());
    if (!isNew) await portIsFree(config);
    const { failed } = await start(config, claim, stops);
    await Promise.race([asked, failed]);
    print('stopping: ticks and messages under way may finish …');
  } finally {
    await stopAll(stops);
  }
}

/** The last started first; one that fails does not keep the others running. */
async function stopAll(stops: Stops): Promise<void> {
  for (const stop of stops.reverse())
    try {
      await stop();
    } catch (error) {
      print(`stopping: ${error instanceof Error ? error.message : String(error)}`);
    }
}

/** @throws {PortTakenError} */
async function portIsFree({ http: { port } }: Config): Promise<void> {
  if (port !== 0) await freePort({ port, purpose: 'the API', variable: 'PORT' });
}

/** `failed` rejects when something that should run until stopped has ended. */
async function start(config: Config, claim: DevClaim, stops: Stops): Promise<{ readonly failed: Promise<never> }> {
  const temporal = await startTemporal(config, claim, stops);
  const foundation = await openFoundation(config);
  stops.push(async () => foundation.desk.close());
  await settleIn(foundation, temporal.target);
  const worker = await startWorker(foundation, temporal.target);
  stops.push(async () => worker.stop());
  const server = await startServer(foundation, temporal.target, temporal.uiUrl);
  stops.push(async () => server.stop());
  claim.tell({ url: server.url });
  const demo = await seedDemo(config, server.url);
  print(welcome(config, { url: server.url, temporalUi: temporal.uiUrl, demo }));
  const failed = Promise.race([
    ended(worker.done, 'The worker'),
    ended(temporal.exited, temporal.name),
    deskStopped(foundation.desk.stopped),
  ]);
  // Nobody listens any more once it is asked to stop.
  failed.catch(() => undefined);
  return { failed };
}

async function ended(promise: Promise<void>, what: string): Promise<never> {
  await promise;
  throw new Error(`${what} has ended by itself: attache dev cannot go on. Start it again.`);
}

async function deskStopped(stopped: Promise<Error>): Promise<never> {
  throw new Error(
    `attache dev cannot go on: ${(await stopped).message}. Make room on its disk, if it was that, and start it again: all that was accepted is still there.`,
  );
}

/** Our own, unless the configuration names another. */
async function startTemporal(config: Config, claim: DevClaim, stops: Stops) {
  if (config.temporal.kind === 'external')
    return { target: targetOf(config), uiUrl: null, name: 'Temporal', exited: new Promise<void>(() => undefined) };
  const binary = findTemporalCli({ explicit: config.binaries.cli, path: config.binaries.path });
  const { port, uiPort } = config.temporal;
  print('starting Temporal …');
  const embedded = await startEmbeddedTemporal({ binary, dataDir: config.dataDir, port, uiPort });
  stops.push(async () => embedded.stop());
  claim.tell({ temporal: { pid: embedded.pid, address: embedded.address, uiUrl: embedded.uiUrl } });
  print('starting the desk, a worker and the server …');
  const { address, uiUrl, exited, logFile } = embedded;
  return { target: embeddedTarget(address), uiUrl, name: `Temporal (its log: ${logFile})`, exited };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
