/** Addresses that a name from outside must not lead us to: it could make us ask our own network (server-side request forgery). */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** What no configuration may open: link-local (the clouds' metadata service lives there), unspecified, multicast, reserved. */
const NEVER = listOf(
  ['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128'],
);
/** RFC 1918, RFC 6598, RFC 4193, this machine, ranges for documentation, and IPv6 that wraps any IPv4 (NAT64, 6to4, Teredo, compatible). */
const PRIVATE = listOf(
  [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.0/8'],
    ...['192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ],
  [
    ...['::1/128', 'fc00::/7', 'fec0::/10', '2001:db8::/32'],
    ...['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16', '::/96', '::ffff:0:0:0/96'],
  ],
);

export type AddressKind = 'never' | 'private' | 'public';
/** Why this address may not be called; undefined: it may. */
export type AddressObjection = (address: string) => string | undefined;

/** `address` as a resolver gives it. */
export function addressKind(address: string): AddressKind {
  if (isIn(NEVER, address)) return 'never';
  return isIn(PRIVATE, address) ? 'private' : 'public';
}

/** Of a URL whose host is an address: a resolver is not asked about one. */
export function objectionToHost({ hostname }: URL, objection: AddressObjection): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : objection(host);
}

/**
 * The connection is made to the very address that was looked at. Every address of the name must be allowed: one that is not
 * may be the one chosen.
 */
export function guardedLookup(objection: AddressObjection): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const refused = addresses.map(({ address }) => objection(address)).find((one) => one !== undefined);
      const [first] = addresses;
      if (refused !== undefined) callback(new Error(refused), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
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
