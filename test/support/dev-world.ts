/** What `attache dev` is tried with: two tenants, a WhatsApp, an ERP that can be held, and an agent that waits at a gate. */
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import type { WhatsAppSimulator } from '../../src/channels/simulated/whatsapp-simulator.ts';
import { freePort } from '../../src/machine/ports.ts';
import { newPlace, type Place } from './attache.ts';
import { openGate, type Gate } from './gate.ts';
import { openHeldErp, type HeldErp } from './held-erp.ts';
import { Meta } from './meta.ts';
import { tenantApi, type TenantApi } from './tenant-api.ts';

const NUMBER = '100200300';
const SECRET = 'app-secret';

export interface DevWorld {
  readonly place: Place;
  /** For every start: the API listens where the webhooks are sent to. */
  readonly env: Readonly<Record<string, string>>;
  readonly graph: WhatsAppSimulator;
  readonly gate: Gate;
  readonly erp: HeldErp;
  readonly meta: Meta;
  readonly demo: TenantApi;
  readonly acme: TenantApi;
  close(): Promise<void>;
}

export async function openDevWorld(): Promise<DevWorld> {
  const place = newPlace();
  const port = await freePort({ port: undefined, purpose: 'the API', variable: 'PORT' });
  const url = `http://127.0.0.1:${port}`;
  const webhookUrl = `${url}/webhooks/whatsapp/acme`;
  const graph = await startWhatsAppSimulator({ phoneNumberId: NUMBER, appSecret: SECRET, webhookUrl, statuses: [] });
  const gate = await openGate();
  const erp = await openHeldErp();
  const agents = { 'lead-qualification': { policy: { quietHours: null } } };
  const whatsapp = { kind: 'whatsapp', phoneNumberId: NUMBER, accessToken: 'token', appSecret: SECRET };
  place.configure({
    tenants: {
      demo: { channels: [{ kind: 'simulated' }], erp: { kind: 'demo', size: 'small' }, agents },
      acme: {
        channels: [{ ...whatsapp, verifyToken: 'verify', apiUrl: graph.url }],
        autoAttach: [{ on: 'conversation.opened', agent: 'lead-qualification' }],
        erp: erp.config,
        agents,
      },
    },
  });
  return {
    place,
    env: { PORT: String(port) },
    graph,
    gate,
    erp,
    meta: new Meta({ url: webhookUrl, number: NUMBER, secret: SECRET }),
    demo: tenantApi(() => url, 'demo'),
    acme: tenantApi(() => url, 'acme'),
    async close() {
      place.leave();
      await Promise.all([graph.close(), gate.close(), erp.close()]);
    },
  };
}
