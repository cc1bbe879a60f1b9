/** What every kind of client is served with, and how much it may ask for. */
import type { Route } from './route.js';
import type { Runs } from './runs.js';

export type ProxyParts = { readonly runs: Runs; readonly route: Route; readonly limits: ProxyLimits };

export type ProxyLimits = {
  /** At the same time, for each listener. */
  readonly connections: number;
  /** Without a byte in either direction; a person who is asked meanwhile has to answer in it. */
  readonly idleMs: number;
  /** To finish a first message that has begun. */
  readonly helloMs: number;
};

export const DEFAULT_LIMITS: ProxyLimits = { connections: 256, idleMs: 600_000, helloMs: 5_000 };
