import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdFile, readHolder, type Holder } from '../../src/machine/held-file.ts';
import { startOf } from '../../src/machine/processes.ts';

class HeldError extends Error {}
const refuse = (holder: Holder): Error => new HeldError(`held by ${holder.pid}`);
const started = (pid: number): string => startOf(pid) ?? assert.fail(`there is no process ${pid}`);

describe('a held file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'attache-held-'));
    file = join(folder, 'held');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('names this process, tells what is added, and goes when it is released', () => {
    const held = holdFile(file, refuse);
    held.tell({ url: 'http://one' });
    held.tell({ port: 2 });
    const all = { pid: process.pid, started: started(process.pid), url: 'http://one', port: 2 };
    assert.deepEqual(readHolder(file), all);
    assert.deepEqual(readdirSync(folder), ['held']);
    held.release();
    assert.equal(existsSync(file), false);
  });

  it('is refused while a process that lives holds it, be it this one', () => {
    holdFile(file, refuse);
    assert.throws(() => holdFile(file, refuse), HeldError);
    writeFileSync(file, JSON.stringify({ pid: process.ppid, started: started(process.ppid) }));
    assert.throws(() => holdFile(file, refuse), { message: `held by ${process.ppid}` });
  });

  it('is taken over from a process that is gone, from a stranger with its id, and where nobody can read it', () => {
    const dead = { pid: 999_999_999, started: '1' };
    const stranger = { pid: process.ppid, started: 'another time' };
    for (const left of [JSON.stringify(dead), JSON.stringify(stranger), '{ half', 'null', '']) {
      writeFileSync(file, left);
      holdFile(file, refuse).release();
      assert.deepEqual(readdirSync(folder), [], left);
    }
  });

  it('that another has taken over meanwhile stays when the first lets go', () => {
    const held = holdFile(file, refuse);
    const other = { pid: process.ppid, started: started(process.ppid) };
    writeFileSync(file, JSON.stringify(other));
    held.release();
    assert.deepEqual(readHolder(file), other);
  });
});
