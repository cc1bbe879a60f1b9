/** The Chat Completions API, which most servers speak. */
import { encodeForChat } from './chat-entry.js';
import { chatHead } from './chat-request.js';
import { startChat } from './chat-state.js';
import type { ChatState } from './chat-state.js';
import { endChat, stepChat, wholeChat } from './chat-stream.js';
import { CLOSED_LIST } from './open-list.js';
import type { Protocol } from './protocol.js';
import { readRefusal } from './refusal.js';

export const chatProtocol: Protocol<ChatState> = {
  wire: 'chat',
  path: '/chat/completions',
  head: chatHead,
  tail: CLOSED_LIST,
  encode: encodeForChat,
  start: startChat,
  step: stepChat,
  end: endChat,
  refusal: readRefusal,
  whole: (body, dialect, toolNames) => wholeChat(body, startChat(dialect, toolNames)),
};
