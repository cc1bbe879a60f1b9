/** The Responses API. */
import { CLOSED_LIST } from './open-list.js';
import type { Protocol } from './protocol.js';
import { readRefusal } from './refusal.js';
import { encodeForResponses } from './responses-entry.js';
import { responsesHead } from './responses-request.js';
import { startResponses } from './responses-state.js';
import type { ResponsesState } from './responses-state.js';
import { endResponses, stepResponses, wholeResponses } from './responses-stream.js';

export const responsesProtocol: Protocol<ResponsesState> = {
  wire: 'responses',
  path: '/responses',
  head: responsesHead,
  tail: CLOSED_LIST,
  encode: encodeForResponses,
  start: startResponses,
  step: stepResponses,
  end: endResponses,
  refusal: readRefusal,
  whole: (body, dialect, toolNames) => wholeResponses(body, startResponses(dialect, toolNames)),
};
