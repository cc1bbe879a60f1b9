/**
 * An approver of your own: it sees what would happen and why it is asked, and answers. Here it lets commands run
 * that only look at things, says no to the rest, and tells the model what to do instead.
 */
import { answerText, createRuntime } from 'tenon';
import type { Approver } from 'tenon';

const lookOnly: Approver = async ({ presentation, reason }) => {
  process.stdout.write(`asked: ${presentation.command ?? presentation.title} (because ${reason.split('.')[0]})\n`);
  return /^(ls|pwd|date)\b/.test(presentation.command ?? '')
    ? { kind: 'once' }
    : { kind: 'deny', note: 'only ls, pwd and date are allowed here' };
};

const runtime = createRuntime({
  cwd: import.meta.dirname,
  approver: lookOnly,
  listeners: [
    (event) => {
      if (event.type === 'call.finished') process.stdout.write(`ended: ${event.outcome}\n`);
    },
  ],
});

for (const cmd of ['ls', 'rm -rf /']) {
  const payload = { kind: 'function', arguments: JSON.stringify({ cmd }) } as const;
  const { answer } = await runtime.runCall({ name: 'exec_command', payload });
  process.stdout.write(`${answerText(answer)}\n`);
}
await runtime.close();
