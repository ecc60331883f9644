/** The kill switches: of a tenant, an agent or a channel. */
import { parseAgentKey } from '../../domain/ids.ts';
import type { Switch as StoredSwitch } from '../../desk/desk.ts';
import { Switch, SwitchedOff } from '../answers/switches.ts';
import type { HttpDeps } from '../deps.ts';
import { invalidField, ProblemError } from '../problems.ts';
import { Asker, pageOf, type Routes } from '../route.ts';

const SWITCH = '/switches/:scope/:key';

export function switchRoutes(
  routes: Routes,
  { desk, channelsOf, agents }: Pick<HttpDeps, 'desk' | 'channelsOf' | 'agents'>,
): void {
  routes.add(
    {
      method: 'get',
      path: '/switches',
      role: 'viewer',
      summary: 'What is switched off',
      answers: { 200: pageOf(Switch) },
    },
    async ({ tenant }) =>
      Response.json({ items: (await desk.switches.list(tenant)).map(shownSwitch), nextCursor: null }),
  );
  routes.add(
    { method: 'get', path: SWITCH, role: 'viewer', summary: 'One switch', answers: { 200: Switch } },
    async ({ tenant, param }) => {
      const { scope, key } = switchOf(param('scope'), param('key'));
      const entry = (await desk.switches.list(tenant)).find((one) => one.scope === scope && one.key === key);
      if (entry === undefined) throw new ProblemError('switch_not_found', `${scope}/${key} is not switched off`);
      return Response.json(shownSwitch(entry));
    },
  );
  routes.add(
    {
      method: 'put',
      path: SWITCH,
      role: 'admin',
      summary: 'Switch off: no tick and no send that it covers',
      body: Asker,
      bodyIs: 'optional',
      act: 'switches.off',
      answers: { 200: SwitchedOff },
    },
    async ({ tenant, param, body, actor }) => {
      const entry: StoredSwitch = {
        tenant,
        ...switchOf(param('scope'), param('key')),
        by: actor(body.by),
        reason: body.reason ?? null,
        at: new Date().toISOString(),
      };
      await desk.switches.turnOff(entry);
      return Response.json({ ...shownSwitch(entry), warning: await warningOf({ desk, channelsOf, agents }, entry) });
    },
  );
  routes.add(
    {
      method: 'delete',
      path: SWITCH,
      role: 'admin',
      summary: 'Switch on again',
      body: Asker,
      bodyIs: 'optional',
      act: 'switches.on',
      answers: { 204: 'it is on' },
    },
    async ({ tenant, param }) => {
      await desk.switches.turnOn({ tenant, ...switchOf(param('scope'), param('key')) });
      return new Response(null, { status: 204 });
    },
  );
}

/** A switch for a name that nobody has stops nothing. An agent that this server no longer knows may still have live runs. */
async function warningOf(
  { desk, channelsOf, agents }: Pick<HttpDeps, 'desk' | 'channelsOf' | 'agents'>,
  { tenant, scope, key }: StoredSwitch,
): Promise<string | null> {
  if (scope === 'tenant') return null;
  const names = scope === 'agent' ? agents.list().map((one) => one.key) : channelsOf(tenant).map((one) => one.key);
  if (names.some((name) => name === key)) return null;
  const isLive = ({ agent, status }: { agent: string; status: string }) => agent === key && status === 'IN_PROGRESS';
  if (scope === 'agent' && (await desk.reports.agents(tenant)).some(isLive)) return null;
  return `nothing is stopped by it: there is no ${scope} ${key} here; there ${names.length === 0 ? 'are none' : `are ${names.join(', ')}`}`;
}

/** Channel keys as `whatsapp:100`; `*` stands for the tenant as a whole. */
const CHANNEL_KEY = /^[a-z0-9][a-z0-9:._-]{0,79}$/;

/** @throws {ProblemError} naming the part of the path. */
function switchOf(scope: string, key: string): Pick<StoredSwitch, 'scope' | 'key'> {
  switch (scope) {
    case 'tenant':
      if (key !== '*') throw invalidField('key', 'must be * for the tenant');
      return { scope, key };
    case 'agent':
      return { scope, key: parseAgentKey(key, 'key') };
    case 'channel':
      if (!CHANNEL_KEY.test(key)) throw invalidField('key', 'must be the key of a channel, such as whatsapp:100');
      return { scope, key };
    default:
      throw invalidField('scope', 'must be tenant, agent or channel');
  }
}

/** Without the tenant, which is in the path. */
export function shownSwitch({ scope, key, by, reason, at }: StoredSwitch): Switch {
  return { scope, key, by, reason, at };
}
