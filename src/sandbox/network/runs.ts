/** Runs of commands, and which of them a connection belongs to. Without a run nothing is reached. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';

import type { Destination } from './destination.js';
import type { Refusal } from './refusal.js';

export type RunOptions = {
  /** Asked for every connection and request; whoever asks a person has to remember the answer. */
  readonly allows: (host: string, port: number, gone: AbortSignal) => boolean | Promise<boolean>;
  /** Whether an allowed host may lie in a private network; asked for every one that does. Absent: none may. */
  readonly allowsPrivate?: (host: string) => boolean;
  readonly onRefused: (refusal: Refusal) => void;
};

export interface Run {
  allows(to: Destination, gone: AbortSignal): Promise<boolean>;
  allowsPrivate(host: string): boolean;
  /** Tells whoever watches, and hands the refusal on. */
  refuse(refusal: Refusal): Refusal;
  /** A connection that ends with the run. */
  hold(client: Socket): void;
}

export type OpenRun = { readonly token: string; close(): void };

export interface Runs {
  open(options: RunOptions): OpenRun;
  find(token: string | undefined): Run | undefined;
  /** For a connection that may be anybody's: only what all allow. Undefined when there is nobody. */
  everybody(): Run | undefined;
  closeAll(): void;
}

const TOKEN_BYTES = 24;

export function createRuns(): Runs {
  const open = new Map<OpenRun, { readonly digest: Buffer; readonly run: Run }>();
  return {
    open(options) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const clients = new Set<Socket>();
      const opened: OpenRun = {
        token,
        close() {
          open.delete(opened);
          for (const client of clients) client.destroy();
        },
      };
      open.set(opened, { digest: digestOf(token), run: createRun(options, clients) });
      return opened;
    },
    find(token) {
      if (token === undefined) return undefined;
      const digest = digestOf(token);
      return [...open.values()].find((each) => timingSafeEqual(each.digest, digest))?.run;
    },
    everybody() {
      const all = [...open.values()].map(({ run }) => run);
      return all.length === 0 ? undefined : together(all);
    },
    closeAll() {
      for (const each of open.keys()) each.close();
    },
  };
}

function together(all: readonly Run[]): Run {
  return {
    allows: async (to, gone) => (await Promise.all(all.map((run) => run.allows(to, gone)))).every(Boolean),
    allowsPrivate: (host) => all.every((run) => run.allowsPrivate(host)),
    refuse(refusal) {
      for (const run of all) run.refuse(refusal);
      return refusal;
    },
    hold(client) {
      for (const run of all) run.hold(client);
    },
  };
}

/** Of one length, so that they can be compared in constant time. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Whoever throws has not allowed anything, and has not kept a refusal from being one. */
function createRun(options: RunOptions, clients: Set<Socket>): Run {
  return {
    async allows({ host, port }, gone) {
      try {
        return await options.allows(host, port, gone);
      } catch {
        return false;
      }
    },
    allowsPrivate(host) {
      try {
        return options.allowsPrivate?.(host) === true;
      } catch {
        return false;
      }
    },
    refuse(refusal) {
      try {
        options.onRefused(refusal);
      } catch {
        // There is nobody to tell.
      }
      return refusal;
    },
    hold(client) {
      if (clients.has(client)) return;
      clients.add(client);
      client.once('close', () => clients.delete(client));
    },
  };
}
