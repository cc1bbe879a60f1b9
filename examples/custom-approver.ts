/**
 * An approver of your own: it sees what would happen and why it is asked, and answers. Inside of the sandbox most
 * commands run unasked; here a model asks to leave it. Commands that are known to only look at things may, the rest
 * gets a no, and the model reads what to do instead.
 */
import { answerText, createRuntime } from 'tenon';
import type { Approver } from 'tenon';

const lookOnly: Approver = async ({ presentation, reason, findings = [] }) => {
  process.stdout.write(`asked: ${presentation.command ?? presentation.title} (because ${reason.split('.')[0]})\n`);
  // Part by part, never by how the text looks: `ls; rm -rf x` begins with a harmless word too.
  return findings.length > 0 && findings.every(({ decision }) => decision === 'safe')
    ? { kind: 'once' }
    : { kind: 'deny', note: 'only commands that look at things may leave the sandbox' };
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

for (const cmd of ['ls | wc -l', 'ls; rm -rf no-such-folder']) {
  const wish = { cmd, sandbox_permissions: 'require_escalated', justification: 'May I see everything?' };
  const payload = { kind: 'function', arguments: JSON.stringify(wish) } as const;
  const { answer } = await runtime.runCall({ name: 'exec_command', payload });
  process.stdout.write(`${answerText(answer)}\n`);
}
await runtime.close();
