/**
 * The name of the time zone, as the system has it. Asking `Intl` loads the formats of a whole language, which takes
 * longer than all else before the first request; so it is asked only when the usual places do not say.
 */
import fs from 'node:fs';
import path from 'node:path';

export type ZonePlaces = {
  /** The variable `TZ`, which goes before what the system says. */
  readonly variable: string | undefined;
  /** A link to the rules of the zone, whose end is the zone's name. */
  readonly link: string;
  /** Where the rules of every zone are. */
  readonly zones: string;
};

export function timeZone(places: ZonePlaces = usualPlaces()): string {
  const name = places.variable === undefined ? linkedName(places.link) : knownName(places.variable, places.zones);
  return name === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : name.replace(/^Etc\/UTC$/, 'UTC');
}

function usualPlaces(): ZonePlaces {
  return { variable: process.env['TZ'], link: '/etc/localtime', zones: '/usr/share/zoneinfo' };
}

function linkedName(link: string): string | undefined {
  try {
    const name = fs.readlinkSync(link).split('/zoneinfo/')[1];
    return name !== undefined && isName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The variable may also hold rules, or a zone that does not exist. */
function knownName(name: string, zones: string): string | undefined {
  return isName(name) && fs.existsSync(path.join(zones, name)) ? name : undefined;
}

function isName(text: string): boolean {
  return /^(?:UTC|[A-Z]\w+(?:\/[A-Z][\w+-]*){1,2})$/.test(text);
}
