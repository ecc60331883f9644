/**
 * Where an outgoing webhook may not go. A tenant's endpoint is named in our configuration, which may have been filled in
 * by the tenant: without this it could make us ask our own network (server-side request forgery).
 */
import { BlockList, isIP } from 'node:net';

/** What no configuration may open: link-local (the clouds' metadata service lives there), unspecified, multicast, reserved. */
const NEVER = listOf(
  ['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128'],
);
/** RFC 1918, RFC 6598, RFC 4193, this machine, ranges for documentation, and IPv6 that wraps any IPv4 (NAT64, 6to4). */
const PRIVATE = listOf(
  [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.0/8'],
    ...['192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ],
  ['::1/128', 'fc00::/7', '2001:db8::/32', '64:ff9b::/96', '2002::/16'],
);

/** Undefined: it may be called. Else why not, with the remedy. `address` as a resolver gives it. */
export function addressObjection(address: string, { allowPrivate }: { allowPrivate: boolean }): string | undefined {
  if (isIn(NEVER, address)) return `${address} is an address no webhook may be sent to`;
  if (!allowPrivate && isIn(PRIVATE, address))
    return `${address} is a private address; set allowPrivateNetwork: true on the endpoint if it is meant`;
  return undefined;
}

/** `::ffff:10.0.0.1` counts as 10.0.0.1: BlockList unwraps it. */
function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function listOf(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (family: 'ipv4' | 'ipv6') => (range: string) => {
    const [net = '', prefix] = range.split('/');
    list.addSubnet(net, Number(prefix), family);
  };
  ipv4.forEach(add('ipv4'));
  ipv6.forEach(add('ipv6'));
  return list;
}
