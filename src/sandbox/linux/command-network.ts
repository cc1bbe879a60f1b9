/**
 * The network of confined commands: a room without a way out, with our proxy and a resolver in it that knows nobody. Both
 * learn which hosts are wanted, so that a person can be asked for exactly these.
 */
import type { Socket as Datagrams } from 'node:dgram';

import { once } from '../../core/once.js';
import { parseDnsQuery, refusedAnswer } from '../network/dns-answer.js';
import type { NetworkProxy } from '../network/proxy.js';
import { proxyEnvironment } from '../network/proxy-environment.js';
import type { Refusal } from '../network/refusal.js';
import type { RunOptions } from '../network/runs.js';
import { PROXY_PORT } from './room.js';
import type { Room } from './open-room.js';

export interface CommandNetwork {
  /** Throws when there can be no such network here. */
  enter(permits: Permits): Promise<Visit>;
  close(): Promise<void>;
}

/** Which hosts a command may reach. */
export type Permits = Pick<RunOptions, 'allows' | 'allowsPrivate'>;

/** A command's stay in the network. */
type Visit = {
  readonly room: Room;
  /** Tells programs of the proxy. */
  readonly env: Readonly<Record<string, string>>;
  leave(): Wanted;
};

export type Wanted = {
  readonly refusedHosts: readonly Refusal[];
  readonly askedNames: readonly string[];
  /** Whether somebody else was in there too: the names may be theirs. */
  readonly shared: boolean;
};

/** So many are enough for anybody to read. */
const MOST_NAMES = 64;

export function createCommandNetwork(open: () => Promise<Room>, proxy: NetworkProxy): CommandNetwork {
  const visitors = new Set<{ readonly names: Set<string>; shared: boolean }>();
  const room = once(async () => {
    const opened = await open();
    proxy.serve(opened.proxy);
    answerNames(opened.resolver, (name) => {
      for (const { names } of visitors) if (names.size < MOST_NAMES) names.add(name);
    });
    return opened;
  });

  return {
    async enter(permits) {
      const refused: Refusal[] = [];
      const visitor = { names: new Set<string>(), shared: visitors.size > 0 };
      const opened = await room();
      const run = proxy.open({ ...permits, onRefused: (refusal) => void refused.push(refusal) });
      for (const other of visitors) other.shared = true;
      visitors.add(visitor);
      return {
        room: opened,
        env: proxyEnvironment(PROXY_PORT, run.token),
        leave() {
          visitors.delete(visitor);
          run.close();
          return { refusedHosts: refused, askedNames: [...visitor.names], shared: visitor.shared };
        },
      };
    },
    async close() {
      await proxy.close();
      (await room.started()?.catch(() => undefined))?.close();
    },
  };
}

/** Nobody is known; but who was asked for is. */
function answerNames(resolver: Datagrams, heard: (name: string) => void): void {
  resolver.on('error', () => {});
  resolver.on('message', (packet, from) => {
    const query = parseDnsQuery(packet);
    if (query === undefined) return;
    heard(query.name);
    resolver.send(refusedAnswer(query), from.port, from.address);
  });
}
