/**
 * Commands that outlive their call: a program that asks is answered, one that serves goes on in the background, and
 * nothing is left when the runtime is closed.
 */
import { answerText, createRuntime } from 'tenon';

const runtime = createRuntime({ sandboxMode: 'danger-full-access' });

// In a terminal the answer comes as soon as the program waits for input, and says so.
const asking = await call('exec_command', {
  cmd: 'read -p "Your name? " name; echo "Hello, $name."',
  tty: true,
  login: false,
});
await call('write_stdin', { session_id: sessionIn(asking), chars: 'Ada\n' });

// Without one, a command that takes longer than yield_time_ms goes on, and can be interrupted.
const serving = await call('exec_command', { cmd: 'echo serving; sleep 60', yield_time_ms: 250, login: false });
process.stdout.write(`running: ${(await runtime.processes()).map(({ command }) => command).join(', ')}\n`);
await call('write_stdin', { session_id: sessionIn(serving), chars: '\u0003', yield_time_ms: 5_000 });

await runtime.close();
process.stdout.write(`left: ${(await runtime.processes()).length}\n`);

async function call(name: string, args: object): Promise<string> {
  const { answer } = await runtime.runCall({ name, payload: { kind: 'function', arguments: JSON.stringify(args) } });
  process.stdout.write(`${name}\n${answerText(answer).replace(/^/gm, '  ')}\n`);
  return answerText(answer);
}

function sessionIn(text: string): number {
  return Number(/session ID (\d+)/.exec(text)?.[1]);
}
