/** One plain sentence on what would be allowed instead, so that a model does not try the same thing in other ways. */
import type { JudgeContext, Part } from './context.js';

/** Behind a refusal by a rule. */
export function sayInstead(part: Part, parts: readonly Part[]): string {
  const others = parts.filter((each) => each !== part);
  if (part.kind === 'command' && others.some(({ kind }) => kind === 'command')) {
    return others.some(({ decision }) => decision === 'deny')
      ? 'Leave out the forbidden commands; the others may run without them.'
      : 'The other commands may run without it.';
  }
  return ALLOWED[part.kind];
}

const ALLOWED: Readonly<Record<Part['kind'], string>> = {
  command: 'Other commands are allowed; if this one is needed, ask the user to run it.',
  read: 'Other files can be read; if this one is needed, ask the user for what it says.',
  write: 'Other files can be written; if this one must change, ask the user to change it.',
  connect: 'Work without this host, or ask the user to fetch what is needed.',
  remote: 'Other tools are allowed; if this one is needed, ask the user.',
  type: 'Other input may be typed; if this is needed, ask the user to type it.',
  unclear: 'Say the same with plain commands.',
};

/** Behind a refusal because nobody may be asked. */
export function allowedUnasked({ sandboxMode, writableRoots, network, confinement }: JudgeContext): string {
  if (sandboxMode === 'danger-full-access') return 'Commands that are not dangerous run without asking.';
  const commands = confinement.kind === 'available';
  const reach = network ? '' : ' that need no network';
  if (sandboxMode === 'read-only') {
    return commands ? `Commands${reach} that only read are allowed.` : 'Reading files is allowed.';
  }
  const where = writableRoots.join(', ');
  return commands
    ? `Commands${reach} and changes inside ${where} are allowed.`
    : `Reading files, and changing those inside ${where}, is allowed.`;
}
