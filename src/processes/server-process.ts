/** The API's server with the intake and the reconciler. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { createWebhooks } from '../channels/webhooks.ts';
import { attachAfterEnd } from '../client/attach-after-end.ts';
import { createInvestigationClient } from '../client/investigation-client.ts';
import { createRunClient } from '../client/run-client.ts';
import { createFeed } from '../erp/feed.ts';
import { createApp } from '../http/app.ts';
import { createChangeFeed } from '../http/change-feed.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { TenantId } from '../domain/ids.ts';
import { createFanOuts } from '../intake/fan-outs.ts';
import { createHandBacks, type HandBackDeps } from '../intake/hand-back.ts';
import { createIntake } from '../intake/intake.ts';
import { keepPollSchedules, type PolledChannel } from '../intake/poll-schedules.ts';
import { createReconciler } from '../intake/reconcile.ts';
import type { IntakeDeps } from '../intake/deps.ts';
import { createDispatcher } from '../outbox/dispatcher.ts';
import { connectClient, type TemporalTarget } from '../temporal/connection.ts';
import type { Config } from '../config.ts';
import { PortTakenError } from '../machine/ports.ts';
import { missingSearchAttributes } from '../temporal/register-attributes.ts';
import { linkSecretOf } from './decision-links.ts';
import type { Foundation } from './foundation.ts';
import { VERSION } from './version.ts';

/** Beside the modules once built; in a clone, where Vite puts it. */
const CONSOLE = fileURLToPath(new URL('../../dist/console', import.meta.url));

export interface RunningServer {
  readonly url: string;
  /** Answers what is under way, delivers what was accepted, then ends. */
  stop(): Promise<void>;
}

/**
 * @param temporalUi of the Temporal that this process started, where the configuration names no other.
 * @throws {TemporalUnreachableError} @throws {PortTakenError}
 */
export async function startServer(
  foundation: Foundation,
  target: TemporalTarget,
  temporalUi: string | null = null,
): Promise<RunningServer> {
  const { config, desk, agents, erps, log, metrics } = foundation;
  const client = await connectClient(target);
  const runs = createRunClient(client, { isRecorded: true });
  const handBacks = createHandBacks({
    desk,
    attach: async (options) => attachAfterEnd(runs, options),
    automatic: comingBack(foundation),
    log,
  });
  const changes = createChangeFeed({
    log: desk.changes,
    failed: (error) => log.warn({ cause: String(error) }, 'changes could not be read; streams fall behind'),
  });
  const intakeDeps: IntakeDeps = {
    desk,
    client,
    agents,
    autoAttach: (tenant) => config.tenants[tenant]?.autoAttach ?? [],
    letGo: handBacks.letGo,
    log,
    metrics,
  };
  const intake = createIntake(intakeDeps);
  const deps = httpDeps(foundation, {
    ...{ client, runs, handBacks, intake, changes },
    temporalWeb: temporalWebOf(config.temporalUiUrl ?? temporalUi, target.namespace),
    namespace: target.namespace,
  });
  const server = await listen(createApp(deps), config.http);
  const stopping = new AbortController();
  const feed = createFeed({
    erps,
    tenants: Object.keys(config.tenants).filter((id) => config.tenants[id]?.erp !== undefined) as TenantId[],
    database: desk.database,
    publish: async (tenant, events) => {
      await intake.accept(events.map((event) => ({ tenant, channel: null, event })));
    },
    log,
  });
  const rounds = [
    createReconciler(intakeDeps, intake, handBacks).run(stopping.signal),
    changes.run(stopping.signal),
    keepPollSchedules({ client, ...polledChannels(foundation), log }, stopping.signal),
    createDispatcher({ desk, client, log }).run(stopping.signal),
    feed.run(stopping.signal),
  ];
  return {
    url: urlOf(server, config.http.host),
    async stop() {
      stopping.abort();
      server.close();
      server.closeIdleConnections();
      // Streams never end by themselves.
      setTimeout(() => server.closeAllConnections(), 1_000).unref();
      await once(server, 'close');
      await Promise.all(rounds);
      await intake.idle();
      await client.connection.close();
    },
  };
}

/** What the API is handed, from the foundation and what this process has made over it. */
function httpDeps(
  { config, desk, agents, channels, log, metrics }: Foundation,
  {
    client,
    namespace,
    ...made
  }: Pick<HttpDeps, 'runs' | 'handBacks' | 'intake' | 'changes' | 'temporalWeb'> & {
    readonly client: Awaited<ReturnType<typeof connectClient>>;
    readonly namespace: string;
  },
): HttpDeps {
  return {
    ...made,
    version: VERSION,
    desk,
    agents,
    log,
    investigations: createInvestigationClient(client),
    linkSecret: linkSecretOf(config),
    fanOuts: createFanOuts({ desk, client, log }),
    channelsOf: (tenant) => [...channels.list(tenant), ...channels.telling(tenant)],
    webhooks: createWebhooks(config.tenants),
    webhookEndpoints: (tenant) => config.tenants[tenant]?.webhooks ?? [],
    tenants: tenantsOf(config),
    console: { folder: CONSOLE },
    policyOf: (tenant, agent) => config.tenants[tenant]?.agents[agent]?.policy ?? {},
    embedOrigin: (tenant) => crmOrigin(config.tenants[tenant]?.channels ?? []),
    keys: config.apiKeys,
    temporal: {
      async ping() {
        await client.workflowService.getSystemInfo({});
      },
      missingSearchAttributes: async () => missingSearchAttributes({ connection: client.connection, namespace }),
    },
    metrics: { contentType: metrics.registry.contentType, text: async () => metrics.registry.metrics() },
    channelFor: (tenant) =>
      channels.list(tenant).find(({ kind }) => kind === 'simulated' || kind === 'generic')?.key ?? null,
  };
}

/** The namespace's page of Temporal's Web UI. */
function temporalWebOf(ui: string | null, namespace: string): string | null {
  return ui === null ? null : `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}`;
}

function tenantsOf({ tenants }: Config): HttpDeps['tenants'] {
  return {
    has: (id) => Object.hasOwn(tenants, id),
    hasErp: (id) => tenants[id]?.erp !== undefined,
    isApprover: (id, person) => tenants[id]?.approvers.includes(person) === true,
    list: () =>
      Object.entries(tenants).map(([id, { name = id, timeZone }]) => ({ id: id as TenantId, name, timeZone })),
  };
}

function crmOrigin(channels: Config['tenants'][string]['channels']): string | null {
  const chatwoot = channels.find((channel) => channel.kind === 'chatwoot');
  return chatwoot === undefined ? null : new URL(chatwoot.url).origin;
}

/** Who comes back after a human's silence: by the tenant's policy, else by the agent's own. */
function comingBack({ config, agents }: Foundation): HandBackDeps['automatic'] {
  return Object.entries(config.tenants).flatMap(([tenant, settings]) =>
    agents
      .list()
      .filter(({ answers }) => answers)
      .flatMap(({ key, policy }) => {
        const after = settings.agents[key]?.policy.handBackAfter ?? policy.handBackAfter;
        return after === undefined ? [] : [{ tenant: tenant as TenantId, agent: key, after }];
      }),
  );
}

function polledChannels({ config, channels }: Foundation): {
  readonly tenants: readonly TenantId[];
  readonly polled: readonly PolledChannel[];
} {
  const tenants = Object.keys(config.tenants) as TenantId[];
  const polled = tenants.flatMap((tenant) =>
    channels
      .list(tenant)
      .flatMap(({ key, pollEvery }) => (pollEvery === undefined ? [] : [{ tenant, channel: key, every: pollEvery }])),
  );
  return { tenants, polled };
}

/**
 * How long a connection may lie idle: longer than a balancer in front keeps it, a minute as a rule. Whoever closes first must be
 * the one that asks: else its next request, perhaps a webhook, meets a closed connection.
 */
const IDLE_MS = 75_000;

async function listen(
  app: ReturnType<typeof createApp>,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const serverOptions = { keepAliveTimeout: IDLE_MS };
    const server = serve({ fetch: app.fetch, hostname: host, port, serverOptions }, () => resolve(server as Server));
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTakenError({ port, purpose: 'the API', variable: 'PORT' }) : error);
    });
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
