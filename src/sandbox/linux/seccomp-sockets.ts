/** Which sockets can be made. Whatever has no namespace, such as the line to the hypervisor, is never among them. */
import { ALLOW, NOT_PERMITTED } from './seccomp-rules.js';
import type { AtLeastOne, Rule, Test } from './seccomp-rules.js';

export type SocketOptions = {
  readonly internet: boolean;
  /** Whether the system may be asked for its network interfaces. */
  readonly interfaces: boolean;
  readonly unix: boolean;
};

export function socketRules({ internet, interfaces, unix }: SocketOptions): readonly Rule[] {
  const internetRules: readonly Rule[] = [
    { call: 'socket', when: [INTERNET, kind(RAW, PACKET)], action: NOT_PERMITTED },
    { call: 'socket', when: [INTERNET], action: ALLOW },
  ];
  const routeRule: Rule = { call: 'socket', when: [family(NETLINK), { argument: 2, oneOf: [ROUTE] }], action: ALLOW };
  const unixRule: Rule = { call: 'socket', when: [family(UNIX)], action: ALLOW };
  return [
    ...(internet ? internetRules : []),
    ...(interfaces ? [routeRule] : []),
    ...(unix ? [unixRule] : []),
    { call: 'socket', action: NOT_PERMITTED },
    // From one end of a pair datagrams can be sent to any path, so it would be as good as a socket.
    { call: 'socketpair', when: unix ? [family(UNIX)] : [family(UNIX), kind(STREAM, SEQUENCE)], action: ALLOW },
    { call: 'socketpair', action: NOT_PERMITTED },
  ];
}

const UNIX = 1;
const NETLINK = 16;
const ROUTE = 0;

const STREAM = 1;
const RAW = 3;
const SEQUENCE = 5;
const PACKET = 10;

export const INTERNET: Test = { argument: 0, oneOf: [2, 10] };

function family(value: number): Test {
  return { argument: 0, oneOf: [value] };
}

/** The kind stands in the lowest bits, below flags. */
function kind(...values: AtLeastOne): Test {
  return { argument: 1, mask: 0xf, oneOf: values };
}
