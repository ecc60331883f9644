/** The links with which people decide: signed with one secret, made for those whom the configuration names. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DecisionLinks } from '../activities/investigations/deps.ts';
import type { Config } from '../config.ts';
import { decisionToken } from '../http/decision-links.ts';

/**
 * ATTACHE_LINK_SECRET; without it, one that is drawn once and kept in the data folder, which one process alone has. Null where
 * several share a database and nobody has given them a secret in common: then there are no links.
 */
export function linkSecretOf({ linkSecret, database, dataDir }: Config): string | null {
  if (linkSecret !== undefined) return linkSecret;
  return database.kind === 'pglite' ? keptSecret(dataDir) : null;
}

export function decisionLinks(config: Config): DecisionLinks {
  const secret = linkSecretOf(config);
  const { host, port } = config.http;
  const base = config.publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    of: ({ tenant, ...proposal }) =>
      secret === null
        ? []
        : (config.tenants[tenant]?.approvers ?? []).map((person) => ({
            person,
            url: new URL(`/decide/${decisionToken({ tenant, person, ...proposal }, secret)}`, base).href,
          })),
  };
}

/** Made by a link, which either appears whole or fails: of two that draw one, both keep the first. */
function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'link-secret');
  try {
    return readFileSync(file, 'utf8');
  } catch {
    mkdirSync(dataDir, { recursive: true });
  }
  const drawn = `${file}.${process.pid}`;
  writeFileSync(drawn, randomBytes(32).toString('base64url'), { mode: 0o600 });
  try {
    linkSync(drawn, file);
  } catch {
    // Another one was faster: its secret counts.
  }
  unlinkSync(drawn);
  return readFileSync(file, 'utf8');
}
