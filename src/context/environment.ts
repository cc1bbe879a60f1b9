/** Where the model is. Told whole the first time, and later only in what has changed. */
import { tagText } from './tag-text.js';

export type EnvironmentContext = {
  readonly cwd: string;
  /** Its name, such as `bash`. */
  readonly shell: string;
  readonly operatingSystem: string;
  /** The day only, `2026-01-31`: a time would be another one each turn. */
  readonly currentDate: string;
  readonly timezone: string;
  readonly writableRoots: readonly string[];
  readonly networkAccess: boolean;
};

/** Undefined when there is nothing to tell. */
export function environmentText(now: EnvironmentContext, told?: EnvironmentContext): string | undefined {
  const known = new Set(told ? elements(told) : []);
  const news = elements(now).filter((element) => !known.has(element));
  if (news.length === 0) return undefined;
  return ['<environment_context>', ...news.map((element) => `  ${element}`), '</environment_context>'].join('\n');
}

/** One for each field, with its name in it. */
function elements(context: EnvironmentContext): readonly string[] {
  const { cwd, shell, operatingSystem, currentDate, timezone, writableRoots, networkAccess } = context;
  const roots = writableRoots.map((root) => `<root>${tagText(root)}</root>`);
  return [
    `<cwd>${tagText(cwd)}</cwd>`,
    `<shell>${tagText(shell)}</shell>`,
    `<operating_system>${tagText(operatingSystem)}</operating_system>`,
    `<current_date>${tagText(currentDate)}</current_date>`,
    `<timezone>${tagText(timezone)}</timezone>`,
    `<writable_roots>${roots.join('')}</writable_roots>`,
    `<network_access>${networkAccess ? 'enabled' : 'restricted'}</network_access>`,
  ];
}
