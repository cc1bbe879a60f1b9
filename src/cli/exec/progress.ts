/**
 * The same lines for people, on standard error. The last message is not among them: it is the answer, and that goes to
 * standard output alone.
 */
import type { ExecEvent, ExecItem, ItemOf } from './exec-event.js';
import { commandTitle, describeItem } from './describe-item.js';
import { describeTurn } from './describe-turn.js';
import type { Paint } from './paint.js';

export type ProgressOptions = {
  readonly write: (text: string) => void;
  readonly paint: Paint;
};

export function createProgress({ write, paint }: ProgressOptions): (event: ExecEvent) => void {
  /** Whether it is the last one shows only later. */
  let held: ItemOf<'agent_message'> | undefined;
  /** The command that was told of last. */
  let shown: string | undefined;

  const say = (lines: readonly string[]): void => {
    if (lines.length > 0) write(`${lines.join('\n')}\n`);
  };
  const release = (): void => {
    if (held) say(describeItem(held, paint));
    held = undefined;
  };
  const tellItem = (item: ExecItem): void => {
    if (!isLeftOver(item)) release();
    if (item.type === 'agent_message') held = item;
    // Others may have spoken since it was started.
    else if (item.type === 'command_execution' && shown !== item.id)
      say([commandTitle(item, paint), ...describeItem(item, paint)]);
    else say(describeItem(item, paint));
    shown = undefined;
  };

  return (event) => {
    switch (event.type) {
      case 'item.started':
        if (event.item.type !== 'command_execution') return tellStart(event.item);
        release();
        say([commandTitle(event.item, paint)]);
        shown = event.item.id;
        return;
      case 'item.updated':
        return tellStart(event.item);
      case 'item.completed':
        return event.item.type === 'todo_list' ? undefined : tellItem(event.item);
      case 'turn.completed':
        return say(describeTurn(event, paint));
      default:
        release();
        say(describeTurn(event, paint));
    }
  };

  /** Only plans are worth a word before they are over. */
  function tellStart(item: ExecItem): void {
    if (item.type === 'todo_list') tellItem(item);
  }
}

/** Comes after the last message, because the turn is over. */
function isLeftOver(item: ExecItem): boolean {
  return item.type === 'command_execution' && item.status === 'in_progress';
}
