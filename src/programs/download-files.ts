/** Which files `curl` and `wget` send, read and write. */
import { isExact, sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import type { FileHabits } from './command-file-table.js';
import { hasOption, listed, readOptions, valuesOf, wordFrom } from './command-options.js';
import { filesByHabit, filesRead, filesWritten } from './file-habits.js';
import type { CommandFile } from './file-habits.js';
import { namesOfUrl, unescaped } from './file-words.js';

/** Of `curl`: all have a value. */
const CURL = {
  /** `@file`. */
  data: listed('-d --data --data-ascii --data-binary --json -H --header --proxy-header'),
  /** `name@file`. */
  named: listed('--data-urlencode --url-query --variable'),
  /** `name=@file`. */
  forms: ['-F', '--form'],
  /** Not where there is a `=` in it. */
  cookies: ['-b', '--cookie'],
  /** `file:password`. */
  keys: listed('-E --cert --proxy-cert'),
  uploads: ['-T', '--upload-file'],
  reads: listed(`
    -K --config --key --proxy-key --cacert --capath --proxy-cacert --crlfile --netrc-file --etag-compare --pubkey
  `),
  writes: listed(`
    -o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc
    --output-dir
  `),
  takes: listed(`
    -A -C -e -m -P -Q -r -t -u -U -w -x -X -y -Y -z --user-agent --referer --max-time --user --proxy
    --proxy-user --request --range --url --write-out --connect-timeout --retry --resolve --connect-to --interface
    --data-raw --form-string --limit-rate --max-redirs --retry-delay --ciphers --unix-socket --oauth2-bearer
    --preproxy --socks4 --socks4a --socks5 --socks5-hostname --doh-url --dns-servers --proto --noproxy --proto-default
  `),
} as const;

const CURL_TAKES: readonly string[] = Object.values(CURL).flat();
const CURL_OPTIONS = { takes: [...CURL_TAKES, ...CURL_TAKES.map(expanding)], flags: ['--head', '--netrc', '--crlf'] };

/** Words come without the program. */
export function curlFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options, operands } = readOptions(words, CURL_OPTIONS);
  const values = (names: readonly string[]): readonly Word[] => valuesOf(options, [...names, ...names.map(expanding)]);
  const urls = [...operands, ...values(['--url'])];
  const folder = values(['--output-dir'])[0] ?? '.';
  const keepsName = hasOption(options, KEEPS_NAME);
  const kept = keepsName ? urls.flatMap((url) => namesOfUrl(folder, url)) : [];
  const read = [
    ...values(CURL.reads),
    ...values(CURL.keys).flatMap(keyFile),
    ...values(CURL.uploads).flatMap(globbed),
    ...values(CURL.data).flatMap((value) => behind(value, /^@/)),
    ...values(CURL.named).flatMap((value) => behind(value, /^[^=@]*@/)),
    ...values(CURL.forms).flatMap(formFiles),
    ...values(CURL.cookies).filter((value) => !sureText(value).includes('=')),
    ...urls.flatMap(fileOfUrl),
    ...(values(['--proto-default']).length > 0 ? operands : []),
  ];
  return [
    ...filesRead(read, false),
    ...filesWritten(values(CURL.writes), false),
    ...(keepsName ? filesWritten([folder], true) : []),
    ...filesWritten(kept, false),
  ].filter(({ target }) => target !== '-' && target !== '');
}

const KEEPS_NAME = ['-O', '--remote-name', '--remote-name-all', '-J'];

function expanding(name: string): string {
  return name.replace(/^--/, '--expand-');
}

/** `cert:password`. */
function keyFile(value: Word): readonly Word[] {
  const colon = sureText(value).indexOf(':');
  return colon < 0 ? [value] : [value, sureText(value).slice(0, colon)];
}

function behind(value: Word, mark: RegExp): readonly Word[] {
  const [found] = mark.exec(sureText(value)) ?? [];
  return found === undefined ? [] : [wordFrom(value, found.length)];
}

const FORM_SETTING = /^\s*(?:type|filename|headers|encoder)=/;

/** `name=@file`, `name=<file`, `name=@"a,b",c;type=x` and `name=text;headers=@file`. */
function formFiles(value: Word): readonly Word[] {
  const files = behind(value, /^[^=]*=[@<]/);
  const headers = [...sureText(value).matchAll(/;\s*headers=[@<]([^;]*)/g)].map(([, file = '']) => file);
  return [...files.flatMap(listedFiles), ...headers];
}

function listedFiles(text: Word): readonly Word[] {
  if (typeof text !== 'string') return [text];
  const whole = text.replace(/;\s*(?:type|filename|headers|encoder)=[^,]*/g, '');
  const pieces = text.split(/[,;]/).filter((piece) => !FORM_SETTING.test(piece));
  return [...new Set([whole, ...pieces].map((file) => file.replace(/^\s*"|"\s*$/g, '').replace(/\\(["\\])/g, '$1')))];
}

const MOST_SPELLINGS = 256;

/** `{a,b}` is one after the other, and `[a-c]` a range. */
function globbed(word: Word): readonly Word[] {
  const text = sureText(word);
  const start = text.search(/[[{]/);
  if (start < 0) return [word];
  const count = [...text.matchAll(/\{[^{}]*\}/g)].reduce((product, [group]) => product * group.split(',').length, 1);
  const isListed = isExact(word) && !text.includes('[') && count <= MOST_SPELLINGS;
  return isListed ? [word, ...spellings(text)] : [word, { source: text, begins: text.slice(0, start), splits: true }];
}

function spellings(text: string): readonly string[] {
  const [, before = '', inside, after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(text) ?? [];
  if (inside === undefined) return [text];
  const endings = spellings(after);
  return inside.split(',').flatMap((part) => endings.map((ending) => `${before}${part}${ending}`));
}

function fileOfUrl(word: Word): readonly Word[] {
  const [path] = behind(word, /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?)?(?=\/)/i);
  if (path === undefined) return [];
  const end = sureText(path).search(/[?#]/);
  return [path, ...(end < 0 ? [] : [sureText(path).slice(0, end)])].flatMap(globbed).map(decoded);
}

function decoded(word: Word): Word {
  const text = sureText(word).replace(isExact(word) ? '' : /%[\da-f]?$/i, '');
  const plain = unescaped(text);
  if (plain === undefined) return { source: text, begins: text.slice(0, text.indexOf('%')), splits: false };
  return isExact(word) ? plain : { ...word, begins: plain };
}

const WGET = {
  operands: 'none',
  takes: listed(`
    -U -e -t -T -w -Q -l -A -R -D -I -X -B --header --post-data --user --password --tries --timeout --level --method
    --user-agent --body-data --accept --reject --domains --wait --limit-rate --referer
  `),
  reads: listed('-i --input-file --post-file --body-file --load-cookies --certificate --private-key'),
  writes: listed('-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies'),
} as const satisfies FileHabits;

/** Words come without the program. */
export function wgetFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options, operands } = readOptions(words, { takes: [WGET.takes, WGET.reads, WGET.writes].flat() });
  const folder = valuesOf(options, ['-P', '--directory-prefix'])[0] ?? '.';
  const isTree = hasOption(options, listed('-r --recursive -m --mirror -p --page-requisites -x --force-directories'));
  return [
    ...filesByHabit(words, WGET),
    ...(isTree ? filesWritten([folder], true) : []),
    ...filesWritten(
      operands.flatMap((url) => namesOfUrl(folder, url)),
      false,
    ),
  ];
}
