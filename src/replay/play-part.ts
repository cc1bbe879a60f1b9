/** Plays what one process did with one set of settings: an agent is opened for it, and closed when it is over. */
import type { TurnResult } from '../core/turn.js';
import { openAgent } from '../open-agent.js';
import type { Agent, AgentOptions } from '../open-agent.js';
import type { RecordedAct } from './recorded-act.js';
import { createRecordedModel } from './recorded-model.js';
import type { RecordedModel } from './recorded-model.js';
import { recordedTools } from './recorded-tools.js';
import type { ReplayWatch } from './replay-watch.js';
import type { SessionRecord } from './session-record.js';
import type { Translation } from './translate.js';

export type PartOptions = Pick<AgentOptions, 'home' | 'listeners'> & {
  /** The workspace folder. */
  readonly cwd: string;
  /** Whether tools run, or only give what they gave. */
  readonly tools: 'real' | 'recorded';
  /** What a part of the session runs with now; given the first that happened in it. */
  readonly settingsFor: (first: RecordedAct) => Promise<PartSettings>;
  readonly signal?: AbortSignal;
  /** Hears of each agent before it does anything, and with which configuration it runs. */
  readonly onAgent?: (agent: Agent, config: AgentOptions['config']) => void;
  readonly onTurn?: (result: TurnResult) => void;
};

export type PartSettings = Pick<AgentOptions, 'config' | 'addDirs'> & Required<Pick<AgentOptions, 'rules'>>;

export type Playing = Pick<AgentOptions, 'approver'> & {
  readonly record: SessionRecord;
  readonly watch: ReplayWatch;
  readonly translation: Translation;
};

export async function playPart(part: Part, playing: Playing, options: PartOptions): Promise<void> {
  const settings = await options.settingsFor(part[0]);
  const { agent, model } = await openPart(settings, playing, options);
  try {
    options.onAgent?.(agent, settings.config);
    for (const act of part) {
      if (playing.watch.isOver) return;
      model.play(act);
      const result = await playAct(act, agent, playing, options);
      if (result) options.onTurn?.(result);
    }
  } finally {
    await agent.close();
  }
}

/** There is no part without anything in it. */
export type Part = readonly [RecordedAct, ...RecordedAct[]];

type OpenPart = { readonly agent: Agent; readonly model: RecordedModel };

async function openPart(
  settings: PartSettings,
  { record, watch, translation, approver }: Playing,
  options: PartOptions,
): Promise<OpenPart> {
  const { cwd, home, listeners, tools } = options;
  const translate = <Value>(recorded: Value): Value => translation.of(recorded);
  let model: RecordedModel | undefined;
  const agent = await openAgent({
    ...settings,
    // What was allowed for good then is not written down once more.
    rules: { load: () => settings.rules.load() },
    cwd,
    kept: { log: watch.log, past: [...translate(record.beginning), ...watch.lines] },
    speak: (given) =>
      (model = createRecordedModel(given, {
        translate,
        steer: (said) => void agent.session.steer(translate(said.content)),
        silent: () => watch.silent(),
      })),
    ...(tools === 'recorded' && { standIn: recordedTools(record, translate) }),
    ...(approver && { approver }),
    ...(listeners && { listeners }),
    ...(home !== undefined && { home }),
  });
  if (model === undefined) throw new Error('the agent has asked for no model');
  return { agent, model };
}

async function playAct(
  act: RecordedAct,
  { session }: Agent,
  { watch, translation }: Playing,
  { signal }: PartOptions,
): Promise<TurnResult | undefined> {
  const input = translation.of(act.said[0]?.entry.content);
  if (act.kind === 'turn' && input === undefined) return undefined;
  const outputSchema = act.started?.outputSchema;
  watch.begin(act, () => void session.interrupt());
  try {
    if (input === undefined) {
      await session.compact(signal);
      return undefined;
    }
    const turn = session.send(input, { ...(signal && { signal }), ...(outputSchema && { outputSchema }) });
    for (const { entry, afterSteps } of act.said.slice(1))
      if (afterSteps === 0) session.steer(translation.of(entry.content));
    return await turn;
  } finally {
    watch.end();
  }
}
