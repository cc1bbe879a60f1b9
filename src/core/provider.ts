/** A server that speaks one of the wires: where it is, how it is spoken to, and what it knows beyond plain functions. */
import type { Wire } from './model.js';

export type Provider = {
  /** What the configuration calls it. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Without a slash at its end; the wire adds its path. */
  readonly baseUrl: string;
  readonly wire: Wire;
  /** Which variable of the environment holds the key, and how it is sent. Absent: no key is sent. */
  readonly key?: ProviderKey;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose values are in variables of the environment; one that is not set is left out. */
  readonly headersFromEnvironment: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly requestRetries: number;
  readonly streamRetries: number;
  /** How long a server may be silent. */
  readonly idleMs: number;
  readonly dialect: Dialect;
};

export type ProviderKey = {
  readonly variable: string;
  /** Where one gets it, for who has none. */
  readonly help?: string;
  /** Default: `Authorization: Bearer …`. */
  readonly header?: string;
};

/** What a server takes. The plain dialect is what every one of them takes; more is said only to those known for it. */
export type Dialect = {
  /** Who our own words come from, after the first: `developer`, or `user` where a server knows nothing else. */
  readonly contextRole: 'developer' | 'system' | 'user';
  /** Free-text tools as such, not as functions. */
  readonly customTools: boolean;
  /** Tools of which it runs, or knows, its own version: `web_search`, `local_shell`. */
  readonly hostedTools: readonly string[];
  /** Reasoning settings, and encrypted reasoning sent back. */
  readonly reasoning: boolean;
  readonly verbosity: boolean;
  readonly cacheKey: boolean;
  readonly parallelToolCalls: boolean;
  /** Whether it keeps responses, which some need in order to find their own items again. */
  readonly store: boolean;
  /** `strict` of functions, and schemas for answers. */
  readonly strictSchemas: boolean;
  /** Calls that a model wrote into its text are understood. */
  readonly textToolCalls: boolean;
};

export const PLAIN_DIALECT: Dialect = {
  contextRole: 'user',
  customTools: false,
  hostedTools: [],
  reasoning: false,
  verbosity: false,
  cacheKey: false,
  parallelToolCalls: false,
  store: false,
  strictSchemas: true,
  textToolCalls: false,
};

/** What OpenAI's own servers take. */
export const FULL_DIALECT: Dialect = {
  contextRole: 'developer',
  customTools: true,
  hostedTools: ['web_search', 'local_shell'],
  reasoning: true,
  verbosity: true,
  cacheKey: true,
  parallelToolCalls: true,
  store: false,
  strictSchemas: true,
  textToolCalls: false,
};
