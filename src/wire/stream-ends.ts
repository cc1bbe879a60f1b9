/** The ends of a stream that are none. */
import { ModelError } from '../core/model.js';

export function closedTooEarly(): ModelError {
  return new ModelError('closed', 'the stream of the server ended before its response was complete', {
    streaming: true,
  });
}

export function noStream(): ModelError {
  const message = 'what the server sent is not a response of a model. Check base_url and wire_api of the provider.';
  return new ModelError('garbled', message);
}
