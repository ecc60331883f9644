/** A development server without anything of ours in it: no search attributes, nothing kept. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { temporalCli } from './binaries.ts';

export async function startBareTemporal(port: number): Promise<{ address: string; stop(): Promise<void> }> {
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--log-level',
    'error',
  ];
  const child = spawn(temporalCli(), [...args, '--disable-config-env', '--disable-config-file'], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  const address = `127.0.0.1:${port}`;
  for (let isServing = false; !isServing;) {
    if (child.exitCode !== null) throw new Error('the development server ended while starting');
    isServing = await answers(address);
  }
  return {
    address,
    async stop() {
      child.kill();
      await gone;
    },
  };
}

async function answers(address: string): Promise<boolean> {
  try {
    const client = await connectClient(embeddedTarget(address));
    await client.workflowService.describeNamespace({ namespace: 'default' });
    await client.connection.close();
    return true;
  } catch {
    return false;
  }
}
