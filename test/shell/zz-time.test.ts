import { test } from 'vitest';
import { readArgv } from '../../src/shell/read-command.js';
const K = 32 * 1024;
const fill = (s: string, tail = '') => s.repeat(Math.floor((K - 10) / s.length)) + tail;
const cap = (s: string, n: number, tail = '') => s.repeat(Math.min(n, Math.floor((K - 10) / s.length))) + tail;
test('t', { timeout: 600000 }, () => {
  const inputs: Record<string, string> = {};
  for (const s of ['{a,', '$[ ', '$(', '$(a ', '`', '` ', '\\`', 'a(){ ', 'a(){\n', '"', "'", '"$(', '<<E\n', '<<E ', 'a <<E\n', '[[ ', '[[ a && ', '[[ ( ', '(( ', '((', '( ', '(', '{ ', 'if ', 'while ', 'case a in ', 'case a in a) ', 'for x in ', 'for ((', '${x:-', '"${x:-', '${', '$((', '$((1+', '<(', '>(', '! ', 'time ', 'coproc ', 'function a ', 'a=(', 'a[', 'x[0', '[', '@(', '?(a|', '{1..', '$x', '$', '\\', '\\\n', ';', '|', '&&', 'a|', 'a;', 'a&', 'a\n', '#', '# \n', '>', '>a ', '2>', '{x}>', '~', '*', 'a{b,c}', '$\'', '$"', 'a b ', '- ', 'x=1 ', 'cd a;', 'cd ..;', 'env ', 'env $x ', 'sudo ', 'strace ', 'strace env ', 'ssh ', 'ssh "a b" ', 'ssh "a;b" ', 'xargs ', 'find ', 'find -exec ', 'eval ', "eval 'a' ", 'bash -c ', 'trap a ', 'timeout 5 ', 'export A=$x ', 'A=$x ', '[ $x ', 'do ', 'done ', 'fi ', 'esac ', ')', '}', ']]', '))', '((1))', '$((1))', '${x}', '${x//', '${x/a/', '${#', '${!', '"a" ', "'a' ", '`a`', '`a` ', '$(a) ', '<(a) ', '(a);', '{ a; };', 'a(){ b; };', '[[ a ]];', 'if a; then b; fi;', 'case a in a) b;; esac;', 'a <<E\nE\n', 'a <<< b ', 'a <<\\E\n', '<<-E\n', 'a\t', 'é', '\u2003', 'a <<"E$(b)"\n'])
    for (const limit of [K, 1900, 499, 200]) { inputs[`${JSON.stringify(s)}x${limit}`] = cap(s, limit); inputs[`$x; ${JSON.stringify(s)}x${limit}`] = '$x; ' + cap(s, limit).slice(0, K - 20); }
  inputs['`nested`'] = Array.from({ length: 12 }).reduce<string>((t) => '`' + t.replace(/[\\`]/g, '\\$&') + '`', 'a');
  const slow: [number, string][] = [];
  for (const [name, text] of Object.entries(inputs)) for (const shell of ['bash']) {
    const t = performance.now();
    readArgv([shell, '-c', text], { cwd: '/w', home: '/h' });
    slow.push([performance.now() - t, name]);
  }
  for (const words of [['strace', 'env'], ['ssh'], ['find', '-exec'], ['docker', 'env', 'x'], ['env'], ['xargs'], ['bash', '-c'], ['ssh', 'a;b c']]) {
    const argv = Array.from({ length: 5000 }).flatMap(() => words);
    for (const n of [60, 64, 200, 5000]) { const t = performance.now(); readArgv(argv.slice(0, n), { cwd: '/w', home: '/h' }); slow.push([performance.now() - t, `argv ${words} ${n}`]); }
    const line = words.map((w) => `'${w}'`).join(' ') + ' ';
    for (const per of [5, 20, 30]) { const t = performance.now(); readArgv(['bash', '-c', '$x; ' + cap((line.repeat(per) + ';'), 5000)], { cwd: '/w', home: '/h' }); slow.push([performance.now() - t, `script ${words} ${per}`]); }
  }
  console.log(slow.sort((a, b) => b[0] - a[0]).slice(0, 40).map(([t, n]) => `${t.toFixed(0)} ${n}`).join('\n'));
});
