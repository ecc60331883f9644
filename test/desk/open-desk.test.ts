import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  DatabaseUnreachableError,
  DeskError,
  DeskLockedError,
  openDesk,
  TablesRefusedError,
} from '../../src/desk/open-desk.ts';
import { copyDesk } from '../support/desk-template.ts';
import { createTestDatabase, DATABASES, temporaryDirectory } from '../support/desk.ts';
import { aConversation, accepted, fact } from '../support/facts.ts';

describe('the embedded desk', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('refuses a second door while one is open, naming the process and the remedy', async () => {
    await copyDesk(dataDir);
    const desk = await openDesk({ dataDir });
    await assert.rejects(
      () => openDesk({ dataDir }),
      (error) =>
        error instanceof DeskLockedError &&
        error.pid === process.pid &&
        /DATABASE_URL/.test(error.message) &&
        error.message.includes(`kill ${process.pid}`),
    );
    await desk.close();
    assert.equal(existsSync(join(dataDir, 'desk.lock')), false);
  });

  it('names the database that cannot be opened and the variable, and no password', async () => {
    await assert.rejects(openDesk({ databaseUrl: 'postgres://ana:secret@127.0.0.1:9/desk', dataDir }), (error) => {
      assert.ok(error instanceof DatabaseUnreachableError);
      assert.match(error.message, /^The database at 127\.0\.0\.1:9\/desk cannot be opened: .+ DATABASE_URL\.$/);
      return !error.message.includes('secret');
    });
  });

  it('says in the database’s words why its tables cannot be brought up to date, and where to read what to do', async () => {
    await copyDesk(dataDir);
    const desk = await openDesk({ dataDir });
    await desk.database.execute('delete from attache_migrations');
    await desk.close();
    await assert.rejects(openDesk({ dataDir }), (error) => {
      assert.ok(error instanceof TablesRefusedError);
      return /^The desk's tables cannot be brought up to date: .+ already exists\. .*attache doctor/.test(
        error.message,
      );
    });
    assert.equal(existsSync(join(dataDir, 'desk.lock')), false);
  });

  it('says what the database said without what customers wrote', async () => {
    await copyDesk(dataDir);
    const desk = await openDesk({ dataDir });
    await desk.close();
    await assert.rejects(
      () => desk.events.markFailed(randomUUID(), 'Ana Secret'),
      (error) =>
        error instanceof DeskError && !JSON.stringify([error.message, error.stack, error]).includes('Ana Secret'),
    );
  });

  it('takes no fact for later than now, by the clock of this machine', async () => {
    await copyDesk(dataDir);
    const desk = await openDesk({ dataDir });
    const time = new Date(Date.now() + 3_600_000).toISOString();
    const { event } = accepted(await desk.intake.store(fact(aConversation().subject, { type: 'custom.early', time })));
    await desk.close();
    assert.ok(event.time <= new Date().toISOString());
  });

  it('loses nothing that was committed when its process is killed in the middle of writing', async () => {
    await copyDesk(dataDir);
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('../support/write-events.ts', import.meta.url)), dataDir],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exited = once(child, 'exit');
    const committed: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      committed.push(line);
      if (committed.length === 25) child.kill('SIGKILL');
    }
    await exited;
    assert.ok(committed.length >= 25);
    const desk = await openDesk({ dataDir });
    const found = await desk.events.load(committed);
    await desk.close();
    assert.equal(found.length, committed.length);
  });
});

if (DATABASES.includes('PostgreSQL'))
  describe('a desk on PostgreSQL', () => {
    it('is migrated once when several processes start at once', async () => {
      const database = await createTestDatabase();
      const open = () => openDesk({ databaseUrl: database.url, dataDir: '' });
      const desks = await Promise.all([open(), open(), open(), open()]);
      await Promise.all(desks.map((desk) => desk.ping()));
      await Promise.all(desks.map((desk) => desk.close()));
      await database.drop();
    });
  });
