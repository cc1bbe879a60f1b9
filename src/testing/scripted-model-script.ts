/** Which turn is played for which request: in order, each once its faults are through. */
import type { Play } from './scripted-model-reply.js';
import type { ModelScript, ScriptedFault, ScriptedRequest, ScriptedTurn } from './scripted-model-turn.js';

/** Asked once for each request, in the order in which they arrive. */
export type Playlist = (request: ScriptedRequest, index: number) => Promise<Play>;

export function createPlaylist(script: ModelScript): Playlist {
  if (typeof script === 'function') return (request, index) => fromFunction(script, request, index);
  const rest = [...script];
  let fired = 0;
  return async (_, index) => {
    const turn = rest[0];
    if (turn === undefined) return refused(`the script has no turn for request ${index + 1}; add one`);
    const times = turn.fault?.times ?? 1;
    const fault = fired < times ? turn.fault : undefined;
    if (fault) fired += 1;
    if (!fault || (fired === times && endsTurn(fault))) {
      rest.shift();
      fired = 0;
    }
    return { turn, ...(fault && { fault }) };
  };
}

async function fromFunction(
  script: Extract<ModelScript, (...args: never) => unknown>,
  request: ScriptedRequest,
  index: number,
): Promise<Play> {
  try {
    const turn: ScriptedTurn = await script(request, index);
    return { turn, ...(turn.fault && { fault: turn.fault }) };
  } catch (error) {
    return refused(`the script failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A status that no client tries again, so that a test ends with the reason. */
export function refused(message: string): Play {
  const error = { message, type: 'script_error', param: null, code: 'script_error' };
  return { turn: {}, fault: { kind: 'status', status: 400, body: { error } } };
}

function endsTurn({ kind, endsTurn: ends = TAKEN_AS_ANSWERS.has(kind) }: ScriptedFault): boolean {
  return ends;
}

const TAKEN_AS_ANSWERS: ReadonlySet<ScriptedFault['kind']> = new Set(['incomplete', 'malformed', 'noDoneItems']);
