/** A reader and a small evaluator of profiles, written from the rule "the last match wins". */
export type Form = string | { readonly text: string } | readonly Form[];

const TOKEN = /\s+|;[^\n]*|#?"(?:[^"\\]|\\.)*"|[()]|[^\s()";]+/y;

/** Throws at anything that is not a closed list, a closed string or a word. */
export function parseProfile(text: string): readonly Form[] {
  const stack: Form[][] = [[]];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) throw new SyntaxError(`unreadable at ${at}: ${text.slice(at, at + 20)}`);
    if (token === '(') stack.push([]);
    else if (token === ')') close(stack);
    else if (!/^[\s;]/.test(token)) stack.at(-1)?.push(atom(token));
  }
  if (stack.length !== 1) throw new SyntaxError('a list is not closed');
  return stack[0] ?? [];
}

function close(stack: Form[][]): void {
  const done = stack.pop() ?? [];
  if (stack.length === 0) throw new SyntaxError('a list is closed twice');
  stack.at(-1)?.push(done);
}

function atom(token: string): Form {
  return /^#?"/.test(token) ? { text: token.replace(/^#?"/, '').slice(0, -1) } : token;
}

export function usedParameters(forms: readonly Form[]): readonly string[] {
  return forms.flatMap((form) => {
    if (!isList(form)) return [];
    return form[0] === 'param' ? [textOf(form[1], {})] : usedParameters(form);
  });
}

export type Parameters = Readonly<Record<string, string>>;

/** What a profile says to an operation on a path. */
export function decide(
  { profile, parameters }: { readonly profile: string; readonly parameters: Parameters },
  operation: string,
  file: string,
): 'allow' | 'deny' {
  const rules = parseProfile(profile).filter(isList);
  const match = rules.findLast(
    ([verdict, ...rest]) => (verdict === 'allow' || verdict === 'deny') && matches(rest, operation, file, parameters),
  );
  return match?.[0] === 'allow' ? 'allow' : 'deny';
}

function matches(rest: readonly Form[], operation: string, file: string, parameters: Parameters): boolean {
  const operations = rest.filter((form) => typeof form === 'string');
  const filters = rest.filter(isList);
  if (!operations.some((each) => each === 'default' || covers(each, operation))) return false;
  return filters.length === 0 || filters.some((each) => holds(each, file, parameters));
}

function covers(pattern: string, operation: string): boolean {
  return pattern.endsWith('*') ? operation.startsWith(pattern.slice(0, -1)) : pattern === operation;
}

function holds(filter: readonly Form[], file: string, parameters: Parameters): boolean {
  const [kind, ...rest] = filter;
  const lists = rest.filter(isList);
  if (kind === 'require-all') return lists.every((each) => holds(each, file, parameters));
  if (kind === 'require-any') return lists.some((each) => holds(each, file, parameters));
  if (kind === 'require-not') return !lists.some((each) => holds(each, file, parameters));
  const value = kind === 'literal' || kind === 'subpath' || kind === 'regex' ? textOf(rest[0], parameters) : undefined;
  if (value === undefined) return false;
  if (kind === 'regex') return new RegExp(value).test(file);
  return file === value || (kind === 'subpath' && file.startsWith(value === '/' ? '/' : `${value}/`));
}

function textOf(form: Form | undefined, parameters: Parameters): string {
  if (form === undefined || typeof form === 'string') throw new SyntaxError('a string is expected');
  if ('text' in form) return form.text;
  const name = textOf(form[1], {});
  const value = parameters[name];
  if (value === undefined) throw new SyntaxError(`there is no parameter ${name}`);
  return value;
}

function isList(form: Form): form is readonly Form[] {
  return Array.isArray(form);
}
