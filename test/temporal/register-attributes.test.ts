import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { freePort } from '../../src/temporal/ports.ts';
import {
  ensureSearchAttributes,
  missingSearchAttributes,
  registrationCommands,
} from '../../src/temporal/register-attributes.ts';
import { temporalCli } from '../support/binaries.ts';
import { startBareTemporal } from '../support/bare-temporal.ts';

describe('search attributes', () => {
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

  it('that are missing are named, can be registered by hand as told, and by several processes at once', async () => {
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
