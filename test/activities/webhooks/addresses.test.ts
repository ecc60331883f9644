import assert from 'node:assert/strict';
import { objectionTo } from '../../../src/activities/webhooks/post.ts';

describe('addresses of webhooks', () => {
  const closed = (address: string, allowPrivate = false) => objectionTo(allowPrivate)(address) !== undefined;

  it('are open where they are public', () => {
    for (const address of ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '172.32.0.1', '::ffff:93.184.216.34'])
      assert.equal(closed(address), false, address);
  });

  it('are closed in private networks and on this machine, unless they are meant', () => {
    for (const address of [
      '10.0.0.1',
      '172.16.9.9',
      '192.168.1.1',
      '100.64.0.1',
      '127.0.0.1',
      '::1',
      'fd12::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '64:ff9b:1::a00:1',
      '2001::a00:1',
      '::a00:1',
      '::ffff:0:a00:1',
      'fec0::1',
    ]) {
      assert.equal(closed(address), true, address);
      assert.equal(closed(address, true), false, address);
    }
  });

  it('are closed for ever where a cloud keeps its secrets, and where no server is', () => {
    for (const address of [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      'fe80::1',
      'fd00:ec2::254',
      '0.0.0.0',
      '::',
      '224.0.0.1',
      '255.255.255.255',
    ])
      assert.equal(closed(address, true), true, address);
  });
});
