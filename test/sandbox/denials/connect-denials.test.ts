import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { connectDenials } from '../../../src/sandbox/denials/connect-denials.js';
import type { ConnectEvidence, ConnectionAttempt } from '../../../src/sandbox/denials/connect-denials.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a connection that was stopped', () => {
  test('is named by the host that the proxy refused', () => {
    expect(denied({ refusedHosts: [{ host: 'Example.COM.', port: 443, reason: 'not-listed' }] })).toEqual([
      'proxy example.com',
    ]);
  });

  test('is named by what was asked of the resolver, unless that is allowed', () => {
    expect(denied({ askedNames: ['example.com', 'allowed.org', 'example.net.'] })).toEqual([
      'broker example.com',
      'broker example.net',
    ]);
  });

  test('is only inferred from names that others may have asked for', () => {
    expect(denied({ askedNames: ['example.com'], shared: true })).toEqual(['inferred example.com']);
  });

  test('is named by its address when there is no more to know', () => {
    const connections = [
      to('192.0.2.1', 443),
      to('2001:db8::1', 80),
      { ...to('192.0.2.2', 9), call: 'sendto' as const },
    ];
    expect(denied({ connections })).toEqual(['kernel 192.0.2.1', 'kernel 2001:db8::1', 'kernel 192.0.2.2']);
  });

  test('is told once for each host, with the best proof', () => {
    const evidence = {
      refusedHosts: [
        { host: 'example.com', port: 443, reason: 'not-listed' },
        { host: 'example.com', port: 80, reason: 'not-listed' },
        { host: '192.0.2.1', port: 80, reason: 'not-listed' },
      ],
      askedNames: ['EXAMPLE.com', 'example.com.'],
      connections: [to('192.0.2.1', 443), to('192.0.2.1', 80)],
    } as const;
    expect(denied(evidence)).toEqual(['proxy example.com', 'proxy 192.0.2.1']);
  });

  test('that was refused for what the host is cannot be helped by allowing it', () => {
    const refusedHosts = [{ host: 'intranet.example', port: 443, reason: 'private-address' }] as const;
    expect(denied({ refusedHosts })).toEqual(['inferred intranet.example']);
  });

  test('to a host that is allowed cannot be helped by allowing it', () => {
    expect(denied({ connections: [to('198.51.100.1', 443)] })).toEqual(['inferred 198.51.100.1']);
  });

  test('is one of eight at most', () => {
    const askedNames = Array.from({ length: 20 }, (_, index) => `host${index}.example`);
    expect(denied({ askedNames })).toEqual(askedNames.slice(0, 8).map((name) => `broker ${name}`));
  });
});

describe('what is no denial', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', '0.0.0.0', '::'])('a connection to %s', (address) => {
    expect(denied({ connections: [to(address, 8080)] })).toEqual([]);
  });

  test('a socket of this machine, or one to the kernel', () => {
    const connections: readonly ConnectionAttempt[] = [
      { call: 'connect', family: 'unix', address: '/run/docker.sock' },
      { call: 'connect', family: 'netlink' },
      { call: 'socket', family: 'netlink' },
    ];
    expect(denied({ connections })).toEqual([]);
  });

  test.each([53, 5353, 5355])('asking a resolver at port %i when it is known for what', (port) => {
    expect(denied({ connections: [to('192.0.2.53', port)], askedNames: ['example.com'] })).toEqual([
      'broker example.com',
    ]);
    expect(denied({ connections: [to('192.0.2.53', port)], askedNames: ['allowed.org'] })).toEqual([]);
    expect(denied({ connections: [to('192.0.2.53', port)] })).toEqual(['kernel 192.0.2.53']);
  });

  test('a name of this machine, of a service or of an address', () => {
    const askedNames = ['localhost', 'app.localhost', '_http._tcp.example.com', '1.2.0.192.in-addr.arpa', ''];
    expect(denied({ askedNames })).toEqual([]);
  });

  test('a name that no host can have', () => {
    expect(denied({ askedNames: ['a\nb.example', 'a b', '\u202Eexample', 'x'.repeat(300), 'a"b'] })).toEqual([]);
  });

  test('a name that the resolver has put the own domain behind', () => {
    const askedNames = ['example.com', 'example.com.lan', 'allowed.org', 'allowed.org.lan', 'com.example'];
    expect(denied({ askedNames })).toEqual(['broker example.com', 'broker com.example']);
  });
});

describe('a socket that was not to be had', () => {
  const socket: ConnectionAttempt = { call: 'socket', family: 'inet' };

  test('leads to nobody knows where', () => {
    expect(denied({ connections: [socket, { ...socket, family: 'inet6' }] })).toEqual(['inferred an unknown host']);
  });

  test('says nothing more when a host is known', () => {
    expect(denied({ connections: [socket], askedNames: ['example.com'] })).toEqual(['broker example.com']);
  });
});

test('whatever was seen, only what has a name and is not ours is proven', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1', 'allowed.org'),
  );
  const connection = fc.record({
    call: fc.constantFrom('connect' as const, 'sendto' as const, 'socket' as const),
    family: fc.constantFrom('inet' as const, 'inet6' as const, 'unix' as const, 'netlink' as const),
    address: text,
    port: fc.nat(65_535),
  });
  const evidence = fc.record({
    connections: fc.array(connection),
    refusedHosts: fc.constant([]),
    askedNames: fc.array(text),
    shared: fc.boolean(),
  });
  fc.assert(
    fc.property(evidence, (seen) => {
      const denials = connectDenials(seen, isAllowed);
      expect(new Set(denials.map(({ target }) => target)).size).toBe(denials.length);
      for (const { target, proof } of denials.filter((each) => each.proof !== 'inferred')) {
        expect(['broker', 'kernel']).toContain(proof);
        expect(target).not.toMatch(/^(?:|localhost|127\..*|::1?|allowed\.org)$|[^\w.:-]/);
      }
    }),
    propertyRuns(200, 50_000),
  );
});

/** The denials in short. */
function denied(evidence: Partial<ConnectEvidence>): readonly string[] {
  const nothing = { connections: [], refusedHosts: [], askedNames: [], shared: false };
  return connectDenials({ ...nothing, ...evidence }, isAllowed).map(({ target, proof }) => `${proof} ${target}`);
}

function isAllowed(host: string): boolean {
  return ['allowed.org', '198.51.100.1'].includes(host);
}

function to(address: string, port: number): ConnectionAttempt {
  return { call: 'connect', family: address.includes(':') ? 'inet6' : 'inet', address, port };
}
