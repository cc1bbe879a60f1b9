/** Names of hosts and patterns for them: `example.com`, `*.example.com` for all below it, `*` for every host. */
import { hostName } from '../core/host-name.js';

/** A pattern in the spelling of `patternsOver`. */
export function hostPattern(text: string): string {
  const below = /^\*\.(.+)$/s.exec(text)?.[1];
  return below === undefined ? hostName(text) : `*.${hostName(below)}`;
}

/** Every pattern that covers a host, so that rules can be looked up instead of walked. */
export function patternsOver(host: string): readonly string[] {
  const name = hostName(host);
  const patterns = [name, '*'];
  // Addresses have nothing below them: only names are cut at their dots.
  if (name.includes(':') || /^[\d.]+$/.test(name)) return patterns;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) patterns.push(`*${name.slice(dot)}`);
  return patterns;
}
