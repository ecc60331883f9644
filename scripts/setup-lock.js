/** One set-up at a time in one clone: a lock file that names its process, so that a killed one holds nobody up. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Runs `work` while holding the lock; `onWait` hears once, with the holder's process id, when it has to wait. */
export async function withLock(path, { onWait, work }) {
  let told = false;
  while (!take(path)) {
    const holder = Number(read(path));
    if (holder > 0 && !isAlive(holder)) {
      breakLock(path, holder);
      continue;
    }
    if (!told && holder > 0) onWait(holder);
    told ||= holder > 0;
    await setTimeout(200);
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** A link either appears whole or fails: the lock is never seen without its process id. */
function take(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Two may find the same dead holder: what was moved aside is put back when it is no longer that one's lock. */
function breakLock(path, holder) {
  const aside = `${path}.dead.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (Number(read(aside)) === holder) rmSync(aside);
  else renameSync(aside, path);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
