/** `attache.config.json`: the tenants, their channels and their rules. Its JSON schema is docs/attache.config.schema.json. */
import { z } from 'zod';
import { DEFAULT_PER_SECOND } from '../domain/fan-out.ts';
import type { InputProblem } from '../domain/errors.ts';
import { NAME_PATTERN, NAME_RULE } from '../domain/ids.ts';
import { AgentKeySchema, TenantIdSchema } from '../domain/schemas/ids.ts';
import { problemsOf } from '../domain/schemas/issues.ts';
import { Policy } from '../domain/schemas/policy.ts';
import { Country, JsonValue, TimeZone } from '../domain/schemas/values.ts';
import { ChannelConfig } from '../channels/config.ts';
import { ErpConfig } from '../erp/config.ts';
import { WebhookEndpoint } from './webhook-endpoints.ts';

/** A tenant's own bounds for an agent: only what it names, so that the agent's author keeps the rest. */
const PolicyOverride = z.strictObject(
  Object.fromEntries(
    Object.entries(Policy.shape).map(([name, field]) => [
      name,
      (field instanceof z.ZodDefault ? field.unwrap() : field).optional(),
    ]),
  ),
) as unknown as z.ZodType<z.input<typeof Policy>>;

/** Which event attaches which agent, where nobody and nothing else holds the conversation. */
export const AutoAttachRule = z.strictObject({
  on: z.string().regex(/^[a-z]+(\.[a-zA-Z0-9_-]+)+$/, { error: 'must be an event type such as conversation.opened' }),
  agent: AgentKeySchema,
  config: z.record(z.string(), JsonValue).default({}),
});
export type AutoAttachRule = z.infer<typeof AutoAttachRule>;

const PersonName = z.string().regex(NAME_PATTERN, { error: `must be ${NAME_RULE}` });

export const TenantConfig = z.strictObject({
  /** What agents call the business; the tenant's id when absent. */
  name: z.string().min(1).max(200).optional(),
  timeZone: TimeZone.default('UTC'),
  /** Whose holidays an agent that observes them keeps, where neither its policy nor the contact says. */
  country: Country.optional(),
  channels: z.array(ChannelConfig).default([]),
  /** What watchers read and approved proposals write to: docs/guide/erp.md. Absent: the tenant has none. */
  erp: ErpConfig.optional(),
  /** Whom to tell what happened: docs/guide/webhooks.md. */
  webhooks: z.array(WebhookEndpoint).default([]),
  /** Who is sent a link to decide on investigations: names of keys, or of people who have none. */
  approvers: z.array(PersonName).max(20).default([]),
  autoAttach: z.array(AutoAttachRule).default([]),
  /** Runs that its topics and bulk acts reach a second, together: so many at most, so that customers do not wait behind them. */
  fanOut: z.strictObject({ perSecond: z.number().min(0.1).max(1_000).default(DEFAULT_PER_SECOND) }).prefault({}),
  agents: z.record(AgentKeySchema, z.strictObject({ policy: PolicyOverride.default({}) })).default({}),
});
export type TenantConfig = z.infer<typeof TenantConfig>;

export const ConfigFile = z.strictObject({
  $schema: z.string().optional(),
  tenants: z.record(TenantIdSchema, TenantConfig),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** Without a file: one tenant to try things with, on a channel that reaches nobody. */
export const DEMO_TENANTS: ConfigFile['tenants'] = ConfigFile.parse({
  tenants: { demo: { name: 'Demo Business', channels: [{ kind: 'simulated' }], erp: { kind: 'demo' } } },
}).tenants;

/**
 * Reads the text of the file. `${NAME}` inside any string is replaced by that variable, so that secrets stay out of
 * the file; problems are named `file: path`.
 */
export function parseConfigFile({ text, file, env }: { text: string; file: string; env: Environment }): {
  tenants: ConfigFile['tenants'];
  problems: InputProblem[];
} {
  const problems: InputProblem[] = [];
  const report = (path: readonly PropertyKey[], message: string): void => {
    problems.push({
      path: path.length > 0 && path[0] !== '' ? `${file}: ${path.map(String).join('.')}` : file,
      message,
    });
  };
  const json = parseJson(text, report);
  if (json === undefined) return { tenants: {}, problems };
  const filled = interpolate(json, { env, path: [], report });
  const parsed = ConfigFile.safeParse(filled);
  // A variable that is not set is told as that alone: what its place then holds is nobody's mistake.
  const isTold = (path: string) => problems.some((told) => told.path === `${file}: ${path}`);
  if (parsed.success) reportDoubles(parsed.data, report);
  else for (const { path, message } of problemsOf(parsed.error)) if (!isTold(path)) report([path], message);
  return { tenants: parsed.success ? parsed.data.tenants : {}, problems };
}

type Environment = Readonly<Record<string, string | undefined>>;
type Report = (path: readonly PropertyKey[], message: string) => void;

function parseJson(text: string, report: Report): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    report([], `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function interpolate(value: unknown, at: { env: Environment; path: readonly PropertyKey[]; report: Report }): unknown {
  if (Array.isArray(value)) return value.map((item, index) => interpolate(item, { ...at, path: [...at.path, index] }));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, interpolate(item, { ...at, path: [...at.path, key] })]),
    );
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
    const found = at.env[name];
    if (found) return found;
    at.report(at.path, `needs the environment variable ${name}, which is not set`);
    return whole;
  });
}

/** One number or account belongs to one tenant: an event could not say whose it is. */
function reportDoubles(config: ConfigFile, report: Report): void {
  const seen = new Map<string, string>();
  for (const [tenant, { channels, webhooks }] of Object.entries(config.tenants)) {
    for (const [index, { id }] of webhooks.entries())
      if (webhooks.findIndex((other) => other.id === id) < index)
        report(['tenants', tenant, 'webhooks', index, 'id'], `"${id}" names two endpoints; give each its own id`);
    for (const [index, channel] of channels.entries()) {
      const identity = identityOf(channel, tenant);
      const earlier = seen.get(identity);
      if (earlier !== undefined)
        report(['tenants', tenant, 'channels', index], `is the same channel as ${earlier}; keep one`);
      seen.set(identity, `tenants.${tenant}.channels.${index}`);
    }
    reportSharedNumbers(tenant, channels, report);
  }
}

/** Each Chatwoot account counts its conversations from 1, names itself by its number, and is known by what it signs with. */
function reportSharedNumbers(tenant: string, channels: readonly ChannelConfig[], report: Report): void {
  const accounts = channels.flatMap((channel, index) => (channel.kind === 'chatwoot' ? [{ ...channel, index }] : []));
  for (const [n, account] of accounts.entries()) {
    const { index, accountId, conversationPrefix, url } = account;
    const earlier = accounts.slice(0, n);
    const path = ['tenants', tenant, 'channels', index];
    if (earlier.some((other) => other.conversationPrefix === conversationPrefix))
      report([...path, 'conversationPrefix'], 'must differ between the Chatwoot accounts of a tenant, such as support');
    for (const field of ['webhookSecret', 'botWebhookSecret'] as const) {
      const secret = account[field];
      const other = earlier.find((one) => one.webhookSecret === secret || one.botWebhookSecret === secret);
      if (secret !== undefined && other !== undefined)
        report(
          [...path, field],
          `is a secret of tenants.${tenant}.channels.${other.index} too, and only by its secret an account is known: copy the one that Chatwoot shows for this webhook`,
        );
    }
    const namesake = earlier.find((other) => other.accountId === accountId);
    if (namesake !== undefined && namesake.url !== url)
      report(
        [...path, 'accountId'],
        `is that of another Chatwoot of this tenant; give one of the two a tenant of its own`,
      );
  }
}

function identityOf(channel: ChannelConfig, tenant: string): string {
  switch (channel.kind) {
    case 'whatsapp':
      return `whatsapp:${channel.phoneNumberId}`;
    case 'chatwoot':
      return `chatwoot:${channel.url}:${channel.accountId}`;
    case 'generic':
    case 'simulated':
      return `${channel.kind}:${tenant}`;
  }
}
