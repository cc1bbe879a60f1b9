/** The least that acts on a model's calls: a request, the commands it asks for, their output, and so on. Nothing is kept or judged. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';

const MOST_OUTPUT = 40_000;

const [baseUrl = '', prompt = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const history: string[] = [JSON.stringify({ type: 'message', role: 'user', content: prompt })];

for (let calls = await ask(); calls.length > 0; calls = await ask()) {
  for (const item of await Promise.all(calls.map(answer))) history.push(item);
}
agent.destroy();

type Call = { readonly call_id: string; readonly arguments: string };

function ask(): Promise<readonly Call[]> {
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/responses`, { method: 'POST', agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve(callsIn(text)));
    });
    sent.once('error', reject);
    sent.end(`{"model":"plain","stream":true,"input":[${history.join(',')}]}`);
  });
}

function callsIn(stream: string): readonly Call[] {
  const items = stream.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {"type":"response.output_item.done"')) return [];
    return [(JSON.parse(line.slice(6)) as { item: Call & { type: string } }).item];
  });
  for (const item of items) history.push(JSON.stringify(item));
  return items.filter(({ type }) => type === 'function_call');
}

function answer({ call_id, arguments: text }: Call): Promise<string> {
  const { cmd } = JSON.parse(text) as { cmd: string };
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', cmd], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < MOST_OUTPUT) output = Buffer.concat([output, chunk]).subarray(0, MOST_OUTPUT);
    });
    child.once('close', () => {
      resolve(JSON.stringify({ type: 'function_call_output', call_id, output: output.toString() }));
    });
  });
}
