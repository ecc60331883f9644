/** What other processes of this machine are, told so that a reused process id is never taken for an old acquaintance. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const hasProc = existsSync('/proc/self/stat');

/** When the process began, in the system's own words: with the pid, it names one process for good. Undefined: there is none. */
export function startOf(pid: number): string | undefined {
  if (!hasProc) return ps(['-o', 'lstart=', '-p', String(pid)])?.trim() || undefined;
  try {
    // The command's name may hold spaces and brackets; field 22 counted from the last bracket is the start in clock ticks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Processes whose arguments hold every one of `words`. */
export function findProcesses(words: readonly string[]): number[] {
  return commandLines()
    .filter(({ args }) => words.every((word) => args.includes(word)))
    .map(({ pid }) => pid);
}

function commandLines(): { pid: number; args: string[] }[] {
  if (!hasProc) {
    const lines = ps(['-axo', 'pid=,args='])?.split('\n') ?? [];
    return lines.map((line) => {
      const [pid = '', ...args] = line.trim().split(/\s+/);
      return { pid: Number(pid), args };
    });
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), args: argumentsOf(name) }));
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function ps(args: string[]): string | undefined {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
