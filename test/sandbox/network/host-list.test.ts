import { describe, expect, test } from 'vitest';

import { hostList } from '../../../src/sandbox/network/host-list.js';

const list = hostList(['Example.com.', '*.wide.example', '10.0.0.5', '[fd00::1]', 'localhost']);

describe('a list of hosts', () => {
  test.each([
    ['example.com', true],
    ['EXAMPLE.com.', true],
    ['www.example.com', false],
    ['example.com.evil.com', false],
    ['notexample.com', false],
    ['com', false],
    ['a.wide.example', true],
    ['a.b.wide.example', true],
    ['wide.example', false],
    ['evilwide.example', false],
    ['a.wide.example.evil.com', false],
    ['10.0.0.5', true],
    ['0x0a000005', true],
    ['10.0.0.50', false],
    ['fd00::1', true],
    ['fd00:0:0::1', true],
    ['fd00::2', false],
    ['', false],
    ['*', false],
  ])('says of %j: %s', (host, isAllowed) => {
    expect(list.allows(host)).toBe(isAllowed);
  });
});

test('an empty list allows nothing', () => {
  expect(['example.com', 'localhost', '1.1.1.1', '*', ''].filter((host) => hostList([]).allows(host))).toEqual([]);
});

test('a star allows every host, and none of them in a private network', () => {
  const all = hostList(['*']);
  const hosts = ['example.com', 'localhost', '1.1.1.1', '10.0.0.5', '::1'];
  expect(hosts.filter((host) => all.allows(host))).toEqual(hosts);
  expect(hosts.filter((host) => all.allowsPrivate(host))).toEqual([]);
});

test('a pattern holds for no address, however it is written', () => {
  expect(hostList(['*.0.0.1', '*.1']).allows('127.0.0.1')).toBe(false);
});

test('only addresses and localhost may be private, and only when they are listed themselves', () => {
  const hosts = ['10.0.0.5', 'fd00::1', 'localhost', 'example.com', 'a.wide.example', '10.0.0.6', '127.0.0.1'];
  expect(hosts.filter((host) => list.allowsPrivate(host))).toEqual(['10.0.0.5', 'fd00::1', 'localhost']);
});
