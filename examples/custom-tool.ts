/** A tool of your own: one object gives the model its description, you its types, and the call its validation. */
import { createRuntime, defineTool, resolvePath, textOutput } from 'tenon';
import { z } from 'zod';

const countWords = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text file.',
  input: z.object({
    path: z.string().describe('File to count in.'),
    at_least: z.number().default(1).describe('Count only words of at least this many letters.'),
  }),
  // It only reads, so it may run beside others, and the policy knows what it reads before it does.
  concurrency: 'shared',
  intent: ({ path }, workspace) => ({ effects: [{ kind: 'read', path: resolvePath(workspace.cwd, path) }] }),
  // It acts only through what it is handed: the workspace may be a sandbox, a container or a memory.
  async run({ path, at_least: least }, { workspace }) {
    const file = await workspace.files.open(resolvePath(workspace.cwd, path));
    try {
      const buffer = Buffer.alloc(file.size);
      const text = buffer.toString('utf8', 0, await file.read(buffer, 0));
      const words = text.split(/\W+/).filter((word) => word.length >= least);
      return textOutput(`${words.length} words`);
    } finally {
      await file.close();
    }
  },
});

const runtime = createRuntime({ cwd: import.meta.dirname, tools: [countWords] });

for (const args of ['{"path": "custom-tool.ts", "at_least": "4"}', '{"path": 5}', '{"at_least": 4}']) {
  const { answer } = await runtime.runCall({ name: 'count_words', payload: { kind: 'function', arguments: args } });
  process.stdout.write(
    `${args}\n  → ${answer.content.map((part) => (part.kind === 'text' ? part.text : '')).join('')}\n`,
  );
}
await runtime.close();
