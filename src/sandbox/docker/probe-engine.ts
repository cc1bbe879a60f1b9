/** Whether there is a container engine that answers, which one, and what it can do. */
import { isJsonObject } from '../../core/json-object.js';
import { lastLine, runEngine } from './run-engine.js';
import type { EngineAnswer, EngineCall } from './run-engine.js';

export type Engine = {
  readonly engine: 'docker' | 'podman';
  readonly version: string;
  /** It runs as a plain user, and its containers are in that user's namespace. */
  readonly rootless: boolean;
  readonly selinux: boolean;
  /** Which limits it is able to set. */
  readonly limits: readonly ('memoryBytes' | 'processes')[];
};

export type EngineProbe =
  | ({ readonly kind: 'works' } & Engine)
  | { readonly kind: 'missing' | 'broken'; readonly reason: string };

const PROBE_MS = 10_000;

/** `file` is a path, or a name to be found on the PATH. */
export async function probeEngine(
  file: string,
  { env = process.env, ms = PROBE_MS }: { readonly env?: EngineCall['env']; readonly ms?: number } = {},
): Promise<EngineProbe> {
  const answer = await runEngine({ file, env }, ['info', '--format', '{{json .}}'], { ms });
  if (answer.kind === 'missing') return { kind: 'missing', reason: `there is no program ${file}` };
  const engine = answer.kind === 'ended' && answer.code === 0 ? readInfo(answer.output) : undefined;
  return engine ? { kind: 'works', ...engine } : { kind: 'broken', reason: `${file} does not work: ${whyOf(answer)}` };
}

/** Told apart by what they say, not by their names: podman is often installed under the name of docker. */
export function readInfo(text: string): Engine | undefined {
  const info = parse(text);
  return 'host' in info ? readPodman(info) : readDocker(info);
}

function readDocker(info: JsonObject): Engine | undefined {
  const version = info['ServerVersion'];
  if (typeof version !== 'string' || version === '') return undefined;
  const security = Array.isArray(info['SecurityOptions']) ? info['SecurityOptions'].map(String) : [];
  return {
    engine: 'docker',
    version,
    rootless: security.includes('name=rootless'),
    selinux: security.includes('name=selinux'),
    limits: limitsOf(info['MemoryLimit'] === true, info['PidsLimit'] === true),
  };
}

function readPodman(info: JsonObject): Engine | undefined {
  const host = objectIn(info, 'host');
  const security = objectIn(host, 'security');
  const version = objectIn(info, 'version')['Version'];
  if (typeof version !== 'string' || version === '') return undefined;
  const controllers: unknown[] = Array.isArray(host['cgroupControllers']) ? host['cgroupControllers'] : [];
  return {
    engine: 'podman',
    version,
    rootless: security['rootless'] === true,
    selinux: security['selinuxEnabled'] === true,
    limits: limitsOf(controllers.includes('memory'), controllers.includes('pids')),
  };
}

function limitsOf(memory: boolean, processes: boolean): Engine['limits'] {
  return [...(memory ? ['memoryBytes' as const] : []), ...(processes ? ['processes' as const] : [])];
}

type JsonObject = Readonly<Record<string, unknown>>;

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function whyOf(answer: Exclude<EngineAnswer, { kind: 'missing' }>): string {
  if (answer.kind === 'failed') return answer.reason;
  return lastLine(answer.errors) || (answer.code === 0 ? 'it does not say what it is' : `it ended with ${answer.code}`);
}
