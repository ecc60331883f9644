/**
 * `attache dev`, `worker` and `server` with the tests' own agents beside the built-in ones: a script, run in a process
 * of its own with the command as its argument.
 */
import { BUILT_IN, createRegistry } from '../../src/agents/registry.ts';
import { loadConfig, type Config } from '../../src/config.ts';
import { openFoundation, type Foundation } from '../../src/processes/foundation.ts';
import { startServer } from '../../src/processes/server-process.ts';
import { untilAskedToStop } from '../../src/processes/signals.ts';
import { startWorker } from '../../src/processes/worker-process.ts';
import { findTemporalCli } from '../../src/temporal/binaries.ts';
import { embeddedTarget, targetOf } from '../../src/temporal/connection.ts';
import { claimDevState } from '../../src/temporal/dev-state.ts';
import { startEmbeddedTemporal } from '../../src/temporal/embedded.ts';
import { followerAgent } from './follower-agent.ts';
import { gateAgent, thinkerAgent } from './gate-agent.ts';
import { parrotAgent } from './parrot-agent.ts';
import { orderFor, restock } from './restock-agent.ts';
import { shelfAgent } from './shelf-agent.ts';

const COMMANDS = { dev: runDev, worker: runWorker, server: runServer };

const command = process.argv[2] as keyof typeof COMMANDS;
const asked = untilAskedToStop();
await COMMANDS[command](await loadConfig(command));

async function runDev(config: Config): Promise<void> {
  const claim = claimDevState(config.dataDir);
  const binary = findTemporalCli({ explicit: config.binaries.cli, path: config.binaries.path });
  const temporal = await startEmbeddedTemporal({ binary, dataDir: config.dataDir });
  const { pid, address, uiUrl } = temporal;
  const foundation = await withAgents(config);
  const worker = await startWorker(foundation, embeddedTarget(address));
  const server = await startServer(foundation, embeddedTarget(address), uiUrl);
  claim.tell({ temporal: { pid, address, uiUrl }, url: server.url });
  print('Attaché is ready.');
  await asked;
  await server.stop();
  await worker.stop();
  await foundation.desk.close();
  await temporal.stop();
  claim.release();
}

async function runWorker(config: Config): Promise<void> {
  const foundation = await withAgents(config);
  const worker = await startWorker(foundation, targetOf(config));
  print('worker ready');
  await Promise.race([asked, worker.done]);
  const stopped = worker.stop();
  print('worker stopping');
  await stopped;
  await foundation.desk.close();
}

async function runServer(config: Config): Promise<void> {
  const foundation = await withAgents(config);
  const server = await startServer(foundation, targetOf(config));
  print(`server ready at ${server.url}`);
  await asked;
  await server.stop();
  await foundation.desk.close();
}

async function withAgents(config: Config): Promise<Foundation> {
  const ours = [gateAgent, thinkerAgent, followerAgent, parrotAgent, shelfAgent, restock((stock) => [orderFor(stock)])];
  return openFoundation(config, createRegistry([...BUILT_IN, ...ours]));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
