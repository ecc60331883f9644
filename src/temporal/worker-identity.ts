/** A worker tells who it is and which release it runs by its identity, which Temporal keeps of whoever asks it for work. */
import { hostname } from 'node:os';

/** `4711@host (attache 1.2.0)`: the process as the SDK would name it, and our version. */
export function workerIdentity(version: string): string {
  return `${process.pid}@${hostname()} (attache ${version})`;
}

/** Its inverse. `version` is null for a worker that tells none: it is older than this, or none of ours. */
export function readWorkerIdentity(identity: string): { readonly process: string; readonly version: string | null } {
  const [, process, version] = /^(.*) \(attache (\S+)\)$/.exec(identity) ?? [];
  return process === undefined || version === undefined ? { process: identity, version: null } : { process, version };
}
