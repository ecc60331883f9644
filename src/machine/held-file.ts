/**
 * A file that says which process holds what it stands for: one at a time. It outlives a kill -9, so that the next start
 * knows whose it was, and takes it over.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { jsonOf } from '../domain/json.ts';
import { startOf } from './processes.ts';

export interface Holder {
  readonly pid: number;
  /** With the pid, names the process: see {@link startOf}. Empty where the system does not tell it. */
  readonly started: string;
}

export interface HeldFile {
  /** Adds to what the file tells of its holder; readers never see half of it. */
  readonly tell: (more: object) => void;
  /** The file goes, if it is still ours. */
  readonly release: () => void;
}

/**
 * Takes `file` for this process, over from one that died. Its folder is there.
 * @param refusal what is thrown while another process, or this one, holds it.
 */
export function holdFile(file: string, refusal: (holder: Holder) => Error): HeldFile {
  const mine: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  let told: object = mine;
  while (!putFirst(file, told)) {
    const found = read(file);
    const holder = holderIn(found);
    if (holder !== undefined && isAlive(holder)) throw refusal(holder);
    if (found !== undefined) setAside(file, found);
  }
  return {
    tell: (more) => {
      told = { ...told, ...more };
      renameSync(draftOf(file, told), file);
    },
    release: () => {
      const holder = readHolder(file);
      if (holder?.pid === mine.pid && holder.started === mine.started) rmSync(file, { force: true });
    },
  };
}

/** As the file says, with what its holder told, whether or not that process lives; undefined: there is none, or it names nobody. */
export function readHolder(file: string): Holder | undefined {
  return holderIn(read(file));
}

export function isAlive({ pid, started }: Holder): boolean {
  return (startOf(pid) ?? '') === started && exists(pid);
}

/** A link appears whole or not at all, and never replaces: of two starting at once, one is first. */
function putFirst(file: string, told: object): boolean {
  const draft = draftOf(file, told);
  try {
    return linked(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Two may find the same dead holder: what one moved aside is put back if the other had become the holder meanwhile. */
function setAside(file: string, found: string): void {
  const aside = `${file}.dead.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // Somebody else moved it first.
  }
  if (read(aside) !== found) linked(aside, file);
  rmSync(aside, { force: true });
}

function draftOf(file: string, told: object): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(told, null, 2)}\n`);
  return draft;
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function holderIn(text: string | undefined): Holder | undefined {
  const told = text === undefined ? undefined : (jsonOf(text) as Partial<Holder> | null | undefined);
  return typeof told?.pid === 'number' && typeof told.started === 'string' ? (told as Holder) : undefined;
}

/** There is a process of that id, whoever it is; another user's too. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
