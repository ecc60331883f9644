/** Channels: what came and went by them, and what stops them. */
import type { ShutChannel } from '../../desk/desk.ts';
import { stopperOf } from '../../domain/switches.ts';
import { Channel } from '../answers/channels.ts';
import type { HttpDeps } from '../deps.ts';
import { pageOf, type Routes } from '../route.ts';
import { shownSwitch } from './switches.ts';

/** A year and the month that runs: what an invoice is held against. */
const MONTHS_SHOWN = 13;

export function channelsRoute(routes: Routes, { desk, channelsOf }: Pick<HttpDeps, 'desk' | 'channelsOf'>): void {
  routes.add(
    {
      method: 'get',
      path: '/channels',
      role: 'viewer',
      summary: 'Channels, with the messages that reached their reader by month (UTC): free-form ones and templates',
      answers: { 200: pageOf(Channel) },
    },
    async ({ tenant }) => {
      const now = new Date();
      const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_SHOWN + 1)).toISOString();
      const [counts, health, switches, shutOnes] = await Promise.all([
        desk.conversations.delivered({ tenant, since }),
        desk.reports.channels(tenant),
        desk.switches.list(tenant),
        desk.shutChannels.list(tenant),
      ]);
      const items = channelsOf(tenant).map(({ key, kind, sends = true }) => {
        const known = health.find(({ channel }) => channel === key);
        const off = stopperOf(switches, { scope: 'channel', key });
        return {
          ...{ key, kind, sends },
          delivered: counts
            .filter(({ channel }) => channel === key)
            .map(({ month, service, template }) => ({ month, service, template })),
          lastInboundAt: known?.lastInboundAt ?? null,
          lastOutboundAt: known?.lastOutboundAt ?? null,
          lately: { sent: known?.sent ?? 0, failed: known?.failed ?? 0 },
          off: off === undefined ? null : shownSwitch(off),
          shut: shutOf(shutOnes.find(({ channel }) => channel === key)),
        };
      });
      return Response.json({ items, nextCursor: null });
    },
  );
}

function shutOf(shut: ShutChannel | undefined): Channel['shut'] {
  return shut === undefined ? null : { code: shut.code, since: shut.since, until: shut.until };
}
