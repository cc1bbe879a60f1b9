/** From a table of settings to a server that can be spoken to. What is not said is as its base has it, else plain. */
import { ConfigError } from '../core/errors.js';
import { FULL_DIALECT, PLAIN_DIALECT } from '../core/provider.js';
import type { Dialect, Provider, ProviderKey } from '../core/provider.js';
import { readBaseUrl } from './base-url.js';
import type { ProviderSettings } from './provider-schema.js';

/** What Azure's servers take: as OpenAI's own, but they find reasoning again only in what they have kept. */
export const AZURE_DIALECT: Dialect = { ...FULL_DIALECT, hostedTools: [], store: true };

/** Throws a `ConfigError` for what cannot be used. */
export function defineProvider(id: string, settings: ProviderSettings, base: Partial<Provider> = {}): Provider {
  const table = `model_providers.${id}`;
  const written = settings.base_url ?? base.baseUrl;
  if (written === undefined) throw new ConfigError(`${table} has no base_url: say where its server is`);
  const { baseUrl, query, headers } = readBaseUrl(written, `${table}.base_url`);
  const key = providerKey(settings, base.key);
  return {
    id,
    name: settings.name ?? base.name ?? id,
    baseUrl,
    wire: settings.wire_api ?? base.wire ?? 'chat',
    ...(key !== undefined && { key }),
    headers: checkedHeaders({ ...base.headers, ...headers, ...settings.http_headers }, `${table}.http_headers`),
    headersFromEnvironment: checkedHeaders(
      { ...base.headersFromEnvironment, ...settings.env_http_headers },
      `${table}.env_http_headers`,
    ),
    query: { ...base.query, ...query, ...settings.query_params },
    requestRetries: settings.request_max_retries ?? base.requestRetries ?? 4,
    streamRetries: settings.stream_max_retries ?? base.streamRetries ?? 5,
    idleMs: settings.stream_idle_timeout_ms ?? base.idleMs ?? 300_000,
    dialect: dialectOf(settings, base.dialect ?? knownDialect(new URL(baseUrl))),
  };
}

function providerKey(settings: ProviderSettings, base: ProviderKey | undefined): ProviderKey | undefined {
  const variable = settings.env_key ?? base?.variable;
  if (variable === undefined) return undefined;
  const help = settings.env_key_instructions ?? (variable === base?.variable ? base.help : undefined);
  return {
    variable,
    ...(help !== undefined && { help }),
    ...(base?.header !== undefined && { header: base.header }),
  };
}

/** A header that Node would refuse is found here, where its place can be named. */
function checkedHeaders(headers: Readonly<Record<string, string>>, where: string): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new ConfigError(`${where}: the header ${JSON.stringify(name)} has characters that no header may have`);
    }
  }
  return headers;
}

/** Servers whose address says whose they are, whatever they are called. OpenAI's own have one for some regions. */
function knownDialect({ hostname }: URL): Dialect {
  if (/^(?:\w+\.)?api\.openai\.com$/.test(hostname)) return FULL_DIALECT;
  return /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/.test(hostname) ? AZURE_DIALECT : PLAIN_DIALECT;
}

function dialectOf(settings: ProviderSettings, base: Dialect): Dialect {
  const { [settings.dialect ?? 'base']: start } = { base, openai: FULL_DIALECT, plain: PLAIN_DIALECT };
  return {
    contextRole: settings.context_role ?? start.contextRole,
    customTools: settings.custom_tools ?? start.customTools,
    hostedTools: settings.hosted_tools ?? start.hostedTools,
    reasoning: settings.reasoning ?? start.reasoning,
    verbosity: settings.verbosity ?? start.verbosity,
    cacheKey: settings.prompt_cache_key ?? start.cacheKey,
    parallelToolCalls: settings.parallel_tool_calls ?? start.parallelToolCalls,
    store: settings.store ?? start.store,
    strictSchemas: settings.strict_schemas ?? start.strictSchemas,
    textToolCalls: settings.text_tool_calls ?? start.textToolCalls,
  };
}
