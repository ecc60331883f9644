import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { settleIn } from '../../src/processes/home.ts';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { freePort } from '../../src/machine/ports.ts';
import {
  ensureSearchAttributes,
  missingSearchAttributes,
  registrationCommands,
} from '../../src/temporal/register-attributes.ts';
import { temporalCli } from '../support/binaries.ts';
import { startBareTemporal } from '../support/bare-temporal.ts';

const POSTGRES = { kind: 'postgres', url: 'postgres://desk' } as const;

describe('a Temporal that others run', () => {
  let server: Awaited<ReturnType<typeof startBareTemporal>>;
  let client: Awaited<ReturnType<typeof connectClient>>;
  before(async () => {
    server = await startBareTemporal(await freePort({ port: undefined, purpose: 'a test', variable: 'X' }));
    client = await connectClient(embeddedTarget(server.address));
  });
  after(async () => {
    await client.connection.close();
    await server.stop();
  });

  it('without the namespace starts nothing, and the error names the variable and the command', async () => {
    const target = { ...embeddedTarget(server.address), namespace: 'nowhere' };
    const config = { temporal: { kind: 'external' as const, ...target }, database: POSTGRES, dataDir: '' };
    const desk = { home: { namespace: async (): Promise<string> => assert.fail('the desk is not asked') } };
    await assert.rejects(settleIn({ config, desk }, target), {
      message: /has no namespace nowhere.*TEMPORAL_NAMESPACE.*namespace create .*--namespace nowhere/,
    });
  });

  it('is refused where the desk’s runs live in another, with what can be done about it there', async () => {
    const target = embeddedTarget(server.address);
    const desk = { home: { namespace: async () => 'another' } };
    const [ours, others] = [
      { kind: 'embedded', port: undefined, uiPort: undefined } as const,
      { ...target, kind: 'external' } as const,
    ];
    const pglite = { kind: 'pglite', folder: '/data/desk' } as const;
    for (const [temporal, database, back, anew] of [
      [ours, pglite, /Put the folder \/data\/temporal back/, /remove all of \/data\.$/],
      [ours, POSTGRES, /Put the folder \/data\/temporal back/, /"delete from home"/],
      [others, POSTGRES, /Correct TEMPORAL_ADDRESS/, /"delete from home"/],
    ] as const) {
      const config = { temporal, database, dataDir: '/data' };
      await assert.rejects(
        settleIn({ config, desk }, target),
        ({ message }: Error) => back.test(message) && anew.test(message),
      );
    }
  });

  it('has missing search attributes named, registered by hand as told, and by several processes at once', async () => {
    const where = { connection: client.connection, namespace: 'default' };
    const missing = await missingSearchAttributes(where);
    assert.equal(missing.length, 5);
    const [command = ''] = registrationCommands({ address: server.address, namespace: 'default', missing });
    const [, ...args] = command.split(' ');
    await promisify(execFile)(temporalCli(), args);
    assert.deepEqual(await missingSearchAttributes(where), missing.slice(1));
    await Promise.all([ensureSearchAttributes(where), ensureSearchAttributes(where), ensureSearchAttributes(where)]);
    assert.deepEqual(await missingSearchAttributes(where), []);
  });
});
