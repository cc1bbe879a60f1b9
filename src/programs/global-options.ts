/** Options that stand between a program and its sub-command: `git -C . push` is `git push`. */
import { sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { listed, wordFrom } from './command-options.js';
import { anyProgramName, programName } from './program-name.js';

type Globals = {
  readonly flags: readonly string[];
  readonly takes: readonly string[];
  /** Words that are none, yet stand among them. */
  readonly also?: RegExp;
  /** Whether it may make another sub-command of what follows. */
  readonly renames?: (option: GlobalOption) => boolean;
};

const DOCKER: Globals = {
  flags: ['-D', '--debug', '--tls', '--tlsverify'],
  takes: listed(`
    -H --host -c --context -l --log-level --config --tlscacert --tlscert --tlskey
    --connection --url --root --runroot --identity
  `),
};

const KUBECTL: Globals = {
  flags: ['--insecure-skip-tls-verify', '--match-server-version', '--warnings-as-errors', '--disable-compression'],
  takes: listed(`
    -n --namespace -s --server -v --v --context --cluster --user --kubeconfig
    --token --as --as-group --as-uid --request-timeout --cache-dir --certificate-authority
    --client-certificate --client-key --password --username --tls-server-name --kube-context
  `),
};

const NPM: Globals = {
  flags: ['-s', '--silent', '-q', '--quiet', '-g', '--global', '-d', '--verbose', '-r', '--recursive', '--workspaces'],
  takes: listed(`
    -C --dir --prefix --cwd -w --workspace -F --filter
    --registry --userconfig --loglevel --tag --access --otp --cache
  `),
};

const GLOBAL_OPTIONS: ReadonlyMap<string, Globals> = new Map([
  [
    'git',
    {
      flags: listed(`
        -p --paginate -P --no-pager --bare --no-replace-objects --no-lazy-fetch --no-advice
        --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs
        --icase-pathspecs --exec-path --html-path
      `),
      takes: ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--config-env', '--attr-source'],
      renames: makesAlias,
    },
  ],
  ['docker', DOCKER],
  ['podman', DOCKER],
  ['nerdctl', DOCKER],
  ['kubectl', KUBECTL],
  ['oc', KUBECTL],
  ['helm', KUBECTL],
  ['npm', NPM],
  ['pnpm', NPM],
  ['yarn', NPM],
  [
    'cargo',
    {
      flags: ['-v', '-vv', '--verbose', '-q', '--quiet', '--frozen', '--locked', '--offline'],
      takes: ['-C', '-Z', '--config', '--color'],
      also: /^\+/,
    },
  ],
  ['gh', { flags: [], takes: ['-R', '--repo'] }],
  ['terraform', { flags: [], takes: ['-chdir'] }],
  ['tofu', { flags: [], takes: ['-chdir'] }],
  [
    'aws',
    {
      flags: ['--debug', '--no-verify-ssl', '--no-paginate', '--no-sign-request', '--no-cli-pager'],
      takes: listed(`
        --profile --region --output --endpoint-url --query --ca-bundle --color
        --cli-read-timeout --cli-connect-timeout
      `),
    },
  ],
  [
    'systemctl',
    {
      flags: ['--user', '--system', '--global', '--no-block', '--no-pager', '--no-wall', '-q', '--quiet', '-f', '-i'],
      takes: ['-H', '--host', '-M', '--machine', '-s', '--signal', '--root'],
    },
  ],
  [
    'redis-cli',
    { flags: ['--tls', '--raw', '-c'], takes: ['-h', '-p', '-a', '-n', '-u', '-s', '--user', '--pass', '--sni'] },
  ],
]);

type GlobalOption = { readonly name: string; readonly value?: Word };

/** `git -c alias.x=push x` is a push; which settings are meant may be known only when it runs. */
function makesAlias({ name, value = '' }: GlobalOption): boolean {
  if (name !== '-c' && name !== '--config-env') return false;
  const setting = sureText(value).toLowerCase();
  return setting.startsWith('alias.') || (typeof value !== 'string' && 'alias.'.startsWith(setting));
}

/** The command as it reads without them. One that may make another command of it stays, and what is behind it. */
export function withoutGlobalOptions(words: readonly Word[]): readonly Word[] {
  return splitAt(words, ({ renames }, option) => renames?.(option) ?? false).words;
}

/** A word that may be an option, or more than the value of one, ends the options. */
export function splitGlobalOptions(words: readonly Word[]): Split {
  return splitAt(words, () => false);
}

type Split = { readonly options: readonly GlobalOption[]; readonly words: readonly Word[] };

function splitAt(given: readonly Word[], isEnd: (globals: Globals, option: GlobalOption) => boolean): Split {
  const words = withSubCommand(given);
  const globals = GLOBAL_OPTIONS.get(anyProgramName(words[0]) ?? '');
  if (globals === undefined) return { options: [], words };
  const options: GlobalOption[] = [];
  let at = 1;
  for (;;) {
    const found = globalOptionAt(words, at, globals);
    if (found === undefined || isEnd(globals, found.option)) {
      return { options, words: at === 1 ? words : [...words.slice(0, 1), ...words.slice(at)] };
    }
    options.push(found.option);
    at += found.length;
  }
}

/** `git-push`, wherever git keeps it, is `git push`. */
export function withSubCommand(words: readonly Word[]): readonly Word[] {
  const [program, ...rest] = words;
  if (typeof program !== 'string') return words;
  const name = programName(program) ?? /\/git-core\/([^/]+)$/.exec(program)?.[1];
  const [, command] = /^git-(.+)$/is.exec(name ?? '') ?? [];
  return command === undefined ? words : ['git', command, ...rest];
}

function globalOptionAt(
  words: readonly Word[],
  at: number,
  { flags, takes, also }: Globals,
): { readonly option: GlobalOption; readonly length: number } | undefined {
  const word = words[at];
  if (word === undefined || (typeof word !== 'string' && word.splits)) return undefined;
  const text = sureText(word);
  const equals = text.indexOf('=');
  if (equals > 0 && [...flags, ...takes].includes(text.slice(0, equals))) {
    return { option: { name: text.slice(0, equals), value: wordFrom(word, equals + 1) }, length: 1 };
  }
  if (typeof word !== 'string') return undefined;
  if (flags.includes(word) || also?.test(word)) return { option: { name: word }, length: 1 };
  const value = words[at + 1];
  const isValue = typeof value === 'string' || value?.splits === false;
  if (takes.includes(word)) return isValue ? { option: { name: word, value }, length: 2 } : undefined;
  const glued = takes.find((each) => /^-[A-Za-z]$/.test(each) && word.startsWith(each));
  return glued === undefined ? undefined : { option: { name: glued, value: word.slice(2) }, length: 1 };
}
