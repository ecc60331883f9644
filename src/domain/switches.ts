/** Kill switches: what each of them covers. */

interface SwitchName {
  readonly scope: 'tenant' | 'agent' | 'channel';
  readonly key: string;
}

/** The first of a tenant's switches that stops this agent, or this channel; undefined: none does. `covers` of the desk says the same in SQL. */
export function stopperOf<Switch extends SwitchName>(
  switches: readonly Switch[],
  of: { readonly scope: 'agent' | 'channel'; readonly key: string },
): Switch | undefined {
  return switches.find(({ scope, key }) => scope === 'tenant' || (scope === of.scope && key === of.key));
}
