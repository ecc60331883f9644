/** Who asked for what. */
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import { pageOf, PageQuery, present, type Routes } from '../route.ts';

const Entry = z.object({
  id: z.int(),
  at: z.string(),
  actor: z.string(),
  act: z.string(),
  target: z.string(),
  reason: z.string().nullable(),
  status: z.int().nullable(),
});
const Query = z.strictObject({
  actor: z.string().max(300).optional(),
  act: z.string().max(100).optional(),
  target: z.string().max(300).optional(),
  ...PageQuery,
});

export function auditRoute(routes: Routes, { desk }: Pick<HttpDeps, 'desk'>): void {
  routes.add(
    {
      method: 'get',
      path: '/audit',
      role: 'viewer',
      summary: 'Every act with who asked, why, and what was answered (null: not known); newest first',
      query: Query,
      answers: { 200: pageOf(Entry) },
    },
    async ({ tenant, query }) => Response.json(await desk.audit.list({ tenant, ...present(query) })),
  );
}
