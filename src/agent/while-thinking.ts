/** Uses the time in which a model thinks. What answers sooner, such as a server that refuses, leaves nothing to do. */

/** Less than any model takes to ask for something, and more than it takes to hear from a server that is there. */
const THINKING_MS = 300;

/** Does `work` if nobody calls the returned function in time. */
export function whileThinking(work: () => void): () => void {
  let isOver = false;
  // A busy process may get here before it has read what is already waiting; an immediate runs after the next read.
  const timer = setTimeout(() => setImmediate(() => void (isOver || work())), THINKING_MS).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
