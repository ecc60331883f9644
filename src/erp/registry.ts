/** The ERP of each tenant, by its configuration. */
import { localDate } from '../domain/local-time.ts';
import type { TenantId } from '../domain/ids.ts';
import { aroundCalls } from './around.ts';
import { type TakeToken, withinRate } from './call-rate.ts';
import { type OnErpCall, tellingTimes } from './call-times.ts';
import type { DemoErpConfig, ErpConfig } from './config.ts';
import type { Database } from './demo/database-books.ts';
import { createEmbeddedErp } from './demo/embedded-erp.ts';
import type { Erp, Erps } from './erp.ts';
import { createHttpErp } from './remote/http-erp.ts';

export interface ErpsDeps {
  readonly tenants: Readonly<Record<string, { readonly erp?: ErpConfig | undefined; readonly timeZone: string }>>;
  /** The desk's: the demo ERP has a schema of its own in it. */
  readonly database: Database;
  readonly limits: { take: TakeToken };
  readonly onCall: OnErpCall;
  readonly clock?: () => number;
}

export function createErps(deps: ErpsDeps): Erps {
  const made = new Map<TenantId, Erp>();
  return {
    of(tenant) {
      const known = made.get(tenant);
      const settings = Object.hasOwn(deps.tenants, tenant) ? deps.tenants[tenant] : undefined;
      if (known !== undefined || settings?.erp === undefined) return known;
      const erp = make(deps, tenant, settings.erp, settings.timeZone);
      made.set(tenant, erp);
      return erp;
    },
  };
}

function make(deps: ErpsDeps, tenant: TenantId, config: ErpConfig, timeZone: string): Erp {
  const timed = aroundCalls(bare(deps, tenant, config, timeZone), tellingTimes(deps.onCall));
  const { callsPerSecond: perSecond } = config;
  if (perSecond === undefined) return timed;
  return aroundCalls(timed, withinRate({ key: `erp:${tenant}`, perSecond, take: async (of) => deps.limits.take(of) }));
}

function bare(deps: ErpsDeps, tenant: TenantId, config: ErpConfig, timeZone: string): Erp {
  switch (config.kind) {
    case 'demo':
      return demo(deps, tenant, config, timeZone);
    case 'http':
      return createHttpErp({ tenant, url: config.url, token: config.token });
  }
}

function demo(
  { database: db, clock = Date.now }: ErpsDeps,
  tenant: TenantId,
  setup: DemoErpConfig,
  timeZone: string,
): Erp {
  const today = (): string => localDate(new Date(clock()).toISOString(), timeZone);
  return createEmbeddedErp({ db, tenant, timeZone, clock, today, setup });
}
