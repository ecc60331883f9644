/** `ATTACHE_API_KEYS=name:role:tenant|*:secret,…`: who may call the API, as what, for whom. */
import type { InputProblem } from '../domain/errors.ts';
import { NAME_PATTERN, NAME_RULE, type TenantId } from '../domain/ids.ts';
import { type Role, ROLES } from '../domain/roles.ts';

export interface ApiKey {
  /** Stands in the record of every act, as `name/by`. */
  readonly name: string;
  readonly role: Role;
  /** The one tenant it may touch; `*` for all. */
  readonly tenant: TenantId | '*';
  readonly secret: string;
}

/** 16 characters: 80 bits and more, if drawn at random from letters and digits. */
const MIN_SECRET = 16;
const FORM = 'name:role:tenant:secret, such as crm:operator:acme:<secret>';

/** The keys, and what is wrong with the others. No message carries a secret. */
export function parseApiKeys(text: string): { keys: ApiKey[]; problems: InputProblem[] } {
  const keys: ApiKey[] = [];
  const problems: InputProblem[] = [];
  const entries = text.split(',').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    if (entry === '') continue;
    const [name = '', role = '', tenant = '', ...rest] = entry.split(':');
    const secret = rest.join(':');
    const found = problemsOf({ name, role, tenant, secret });
    if (keys.some((key) => key.name === name)) found.push(`name "${name}" is used twice; give each key its own`);
    if (keys.some((key) => key.secret === secret))
      found.push(`key "${name}" shares its secret with another; draw a new one`);
    problems.push(...found.map((message) => ({ path: `ATTACHE_API_KEYS[${index}]`, message })));
    if (found.length === 0) keys.push({ name, role: role as Role, tenant: tenant as TenantId | '*', secret });
  }
  return { keys, problems };
}

function problemsOf(key: { name: string; role: string; tenant: string; secret: string }): string[] {
  if (key.secret === '') return [`must be ${FORM}`];
  const found: string[] = [];
  if (!NAME_PATTERN.test(key.name)) found.push(`name must be ${NAME_RULE}`);
  if (!ROLES.some((role) => role === key.role)) found.push(`role must be one of ${ROLES.join(', ')}`);
  if (key.tenant !== '*' && !NAME_PATTERN.test(key.tenant)) found.push(`tenant must be "*" or ${NAME_RULE}`);
  if (key.secret.length < MIN_SECRET)
    found.push(`secret must have at least ${MIN_SECRET} characters; \`openssl rand -hex 24\` draws a good one`);
  return found;
}
