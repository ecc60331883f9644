/** API keys and the sessions opened with them. */
import { and, desc, eq, gt, isNull, lt, or, sql, type SQL } from 'drizzle-orm';
import { pageOf, readOrder, writeCursor } from '../database/cursors.ts';
import { alongside, now, type Db } from '../database/database.ts';
import type { KeyRecord, Keys, Sessions } from '../ports/people.ts';
import { apiKeys, sessions } from './schema.ts';

type Row = typeof apiKeys.$inferSelect;
/** A use of a session is written down this often: a console asks many times a minute. */
const SEEN_EVERY = sql`interval '1 minute'`;

export function createKeys(db: Db): Keys {
  return {
    async create({ by, ...key }) {
      const [row] = await db
        .insert(apiKeys)
        .values({ ...key, createdBy: by })
        .onConflictDoNothing()
        .returning();
      return row === undefined ? null : toKey(row);
    },
    rotate: ({ tenant, id, next, overlapUntil, by }) =>
      db.transaction(async (tx) => {
        const [found] = await tx
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.tenant, tenant), eq(apiKeys.id, id), isNull(apiKeys.replacedBy), isUsable()))
          .for('update');
        if (found === undefined) return null;
        const { name, role, expiresAt: ends } = found;
        // The old one gives its name up before the new one takes it, and can only then say who took it.
        const expiresAt = sql`least(${apiKeys.expiresAt}, ${sql.param(overlapUntil, apiKeys.expiresAt)})`;
        await tx.update(apiKeys).set({ replacedBy: id }).where(eq(apiKeys.id, id));
        const [key] = await tx
          .insert(apiKeys)
          .values({ ...next, tenant, name, role, createdBy: by, expiresAt: ends })
          .returning();
        const [old] = await tx
          .update(apiKeys)
          .set({ expiresAt, replacedBy: next.id })
          .where(eq(apiKeys.id, id))
          .returning();
        return key === undefined || old === undefined ? null : { key: toKey(key), old: toKey(old) };
      }),
    async revoke({ tenant, id }) {
      const [row] = await db
        .update(apiKeys)
        .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${now})` })
        .where(and(eq(apiKeys.tenant, tenant), eq(apiKeys.id, id)))
        .returning();
      return row === undefined ? null : toKey(row);
    },
    async list({ tenant, limit, cursor }) {
      const older = cursor === undefined ? undefined : lt(apiKeys.seq, readOrder(cursor));
      const rows = await db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.tenant, tenant), older))
        .orderBy(desc(apiKeys.seq))
        .limit(limit + 1);
      return pageOf(rows, limit, toKey, ({ seq }) => writeCursor(seq));
    },
    async usable(id) {
      const [row] = await db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.id, id), isUsable()));
      return row === undefined ? null : { ...toKey(row), hash: row.hash };
    },
  };
}

export function createSessions(db: Db): Sessions {
  return {
    async begin({ hash, key, person, expiresAt }) {
      const over = db.delete(sessions).where(lt(sessions.expiresAt, now));
      const of = key.kind === 'desk' ? { keyId: key.id } : { fingerprint: key.fingerprint };
      await db
        .with(...alongside(db, [over]))
        .insert(sessions)
        .values({ hash, person, expiresAt, ...of });
    },
    async find(hash, idleMs) {
      const idleSince = sql`${now} - ${idleMs}::float8 * interval '1 millisecond'`;
      const lives = and(eq(sessions.hash, hash), gt(sessions.expiresAt, now), gt(sessions.seenAt, idleSince));
      const seen = db
        .update(sessions)
        .set({ seenAt: now })
        .where(and(lives, lt(sessions.seenAt, sql`${now} - ${SEEN_EVERY}`)));
      const [row] = await db
        .with(...alongside(db, [seen]))
        .select()
        .from(sessions)
        .leftJoin(apiKeys, and(eq(apiKeys.id, sessions.keyId), isUsable()))
        .where(lives);
      if (row === undefined) return null;
      const { person, expiresAt, fingerprint } = row.sessions;
      if (row.api_keys !== null) return { kind: 'desk', key: toKey(row.api_keys), person, expiresAt };
      return fingerprint === null ? null : { kind: 'configured', fingerprint, person, expiresAt };
    },
    async end(hash) {
      await db.delete(sessions).where(eq(sessions.hash, hash));
    },
  };
}

function isUsable(): SQL | undefined {
  return and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
}

function toKey({ id, tenant, name, role, createdAt, createdBy, expiresAt, revokedAt, replacedBy }: Row): KeyRecord {
  return { id, tenant, name, role, createdAt, createdBy, expiresAt, revokedAt, replacedBy };
}
