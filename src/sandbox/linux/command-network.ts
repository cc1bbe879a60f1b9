/**
 * The network of confined commands: a room without a way out, with our proxy and a resolver in it that knows allowed hosts
 * alone, and knows them as our own doors. Both learn which hosts are wanted, so that a person can be asked for exactly these.
 */
import type { Socket as Datagrams } from 'node:dgram';

import { once } from '../../core/once.js';
import { addressAnswer, parseDnsQuery, refusedAnswer } from '../network/dns-answer.js';
import type { NetworkProxy } from '../network/proxy.js';
import { proxyEnvironment } from '../network/proxy-environment.js';
import type { Refusal } from '../network/refusal.js';
import type { RunOptions } from '../network/runs.js';
import { DIRECT_ADDRESS, DIRECT_PORTS, PROXY_PORT } from './room.js';
import type { Room } from './open-room.js';

export interface CommandNetwork {
  /** Makes it before anybody enters. */
  getReady(): void;
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

type Visitor = { readonly permits: Permits; readonly names: Set<string>; shared: boolean };

/** So many are enough for anybody to read. */
const MOST_NAMES = 64;

export function createCommandNetwork(open: () => Promise<Room>, proxy: NetworkProxy): CommandNetwork {
  const visitors = new Set<Visitor>();
  let closed = false;

  /** Who asks is not known, so all have to allow it. */
  async function isAllowed(name: string): Promise<boolean> {
    const { signal } = new AbortController();
    const answers = [...visitors].map(async ({ permits }) => permits.allows(name, DIRECT_PORTS.tls, signal));
    return answers.length > 0 && (await Promise.all(answers)).every(Boolean);
  }

  async function lookUp(name: string): Promise<boolean> {
    const allowed = await isAllowed(name);
    if (!allowed) for (const { names } of visitors) if (names.size < MOST_NAMES) names.add(name);
    return allowed;
  }

  const room = once(async () => {
    const opened = await open();
    proxy.serve(opened.proxy);
    for (const { server, port } of opened.direct) proxy.serveDirect(server, port);
    answerNames(opened.resolver, lookUp);
    return opened;
  });

  return {
    getReady() {
      // Whoever enters is told what went wrong.
      if (!closed) room().catch(() => {});
    },
    async enter(permits) {
      const refused: Refusal[] = [];
      const visitor: Visitor = { permits, names: new Set(), shared: visitors.size > 0 };
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
      closed = true;
      await proxy.close();
      (await room.started()?.catch(() => undefined))?.close();
    },
  };
}

/** An allowed host is where our own doors are; of all others only that they were asked for is known. */
function answerNames(resolver: Datagrams, lookUp: (name: string) => Promise<boolean>): void {
  resolver.on('error', () => {});
  resolver.on('message', (packet, from) => {
    const query = parseDnsQuery(packet);
    if (query === undefined) return;
    const answer = (allowed: boolean): void =>
      resolver.send(allowed ? addressAnswer(query, DIRECT_ADDRESS) : refusedAnswer(query), from.port, from.address);
    lookUp(query.name).then(answer, () => answer(false));
  });
}
