/** API keys of a tenant. A secret is shown once, in the answer that made it. */
import { z } from 'zod';
import type { KeyRecord } from '../../desk/desk.ts';
import { durationMs } from '../../domain/durations.ts';
import { NAME_PATTERN, NAME_RULE } from '../../domain/ids.ts';
import { ROLES } from '../../domain/roles.ts';
import { Duration, Instant } from '../../domain/schemas/values.ts';
import { Key, SecretKey } from '../answers/keys.ts';
import type { HttpDeps } from '../deps.ts';
import { invalidField, ProblemError } from '../problems.ts';
import { Asker, pageOf, PageQuery, present, type Routes } from '../route.ts';
import { drawKey } from '../secrets.ts';

const NewKey = Asker.extend({
  name: z.string().regex(NAME_PATTERN, { error: `must be ${NAME_RULE}` }),
  role: z.enum(ROLES),
  expiresAt: Instant.optional(),
});
/** Time enough to bring the new one everywhere. */
const DEFAULT_OVERLAP = '24h';
const Rotation = Asker.extend({
  overlap: Duration.refine((text) => (durationMs(text) ?? 0) <= 30 * 86_400_000, {
    error: 'must be 30d at most',
  }).default(DEFAULT_OVERLAP),
});

export function keyRoutes(routes: Routes, { desk, keys }: Pick<HttpDeps, 'desk' | 'keys'>): void {
  routes.add(
    {
      method: 'get',
      path: '/keys',
      role: 'admin',
      summary: 'API keys of the tenant, newest first, without their secrets',
      query: z.strictObject(PageQuery),
      answers: { 200: pageOf(Key) },
    },
    async ({ tenant, query }) => {
      const { items, nextCursor } = await desk.keys.list({ tenant, ...present(query) });
      return Response.json({ items: items.map(shown), nextCursor });
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/keys',
      role: 'admin',
      summary: 'Make a key; its secret is in this answer and nowhere else',
      body: NewKey,
      answers: { 201: SecretKey },
      secret: true,
    },
    async ({ tenant, body, actor }) => {
      const { name, role, expiresAt = null } = body;
      if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) throw invalidField('expiresAt', 'must lie ahead');
      const { secret, ...drawn } = drawKey();
      const configured = keys.some((key) => key.name === name && (key.tenant === '*' || key.tenant === tenant));
      const key = configured
        ? null
        : await desk.keys.create({ ...drawn, tenant, name, role, by: actor(body.by), expiresAt });
      if (key === null)
        throw new ProblemError(
          'key_name_taken',
          `a key is called ${name}; rotate or revoke it, or choose another name`,
        );
      return Response.json({ ...shown(key), secret }, { status: 201 });
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/keys/:key/rotate',
      role: 'admin',
      summary: 'A new secret for this key; the old one holds for `overlap` (24h)',
      body: Rotation,
      bodyIs: 'optional',
      answers: { 201: SecretKey.extend({ replaces: Key }) },
      secret: true,
    },
    async ({ tenant, body, actor, param }) => {
      const { secret, ...next } = drawKey();
      const overlapUntil = new Date(Date.now() + (durationMs(body.overlap) ?? 0)).toISOString();
      const id = param('key');
      const rotated = await desk.keys.rotate({ tenant, id, next, overlapUntil, by: actor(body.by) });
      if (rotated === null) throw noKey(id);
      return Response.json({ ...shown(rotated.key), secret, replaces: shown(rotated.old) }, { status: 201 });
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/keys/:key/revoke',
      role: 'admin',
      summary: 'End a key at once, and the sessions opened with it',
      body: Asker,
      bodyIs: 'optional',
      answers: { 200: Key },
    },
    async ({ tenant, param }) => {
      const key = await desk.keys.revoke({ tenant, id: param('key') });
      if (key === null) throw noKey(param('key'));
      return Response.json(shown(key));
    },
  );
}

function noKey(id: string): ProblemError {
  return new ProblemError('key_not_found', `there is no key ${id.slice(0, 60)} in use`);
}

function shown(key: KeyRecord): Key {
  const { id, name, role, createdAt, createdBy, expiresAt, revokedAt, replacedBy } = key;
  const prefix = `att_${id}`;
  return { id, prefix, name, role, state: stateOf(key), createdAt, createdBy, expiresAt, revokedAt, replacedBy };
}

function stateOf({ revokedAt, expiresAt, replacedBy }: KeyRecord): Key['state'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return 'expired';
  return replacedBy === null ? 'active' : 'rotated';
}
