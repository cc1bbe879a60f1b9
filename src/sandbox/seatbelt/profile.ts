/**
 * A resolved policy as a profile for macOS Seatbelt. The last rule that matches wins, so the order here is the meaning.
 * Paths travel as parameters, never as text of the profile: whatever a file is called, it cannot become a rule.
 */
import type { ResolvedPolicy } from '../policy.js';
import { BASE_RULES } from './base-rules.js';
import { fileRules } from './file-rules.js';
import { networkRules } from './network-rules.js';
import type { SeatbeltOptions } from './options.js';
import { nameSubjects, parametersOf } from './subjects.js';

export type SeatbeltProfile = { readonly profile: string; readonly parameters: Readonly<Record<string, string>> };

export function seatbeltProfile(resolved: ResolvedPolicy, options: SeatbeltOptions = {}): SeatbeltProfile {
  const subjects = nameSubjects(resolved, options);
  const rules = [...BASE_RULES, ...fileRules(subjects), ...networkRules(resolved, options, subjects.own)];
  return { profile: `${rules.join('\n')}\n`, parameters: parametersOf(subjects) };
}
