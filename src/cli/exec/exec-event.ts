/** One line of `tenon exec --json`. The schema gives the types. */
import type { z } from 'zod/mini';

import type { execEventSchema } from './exec-event-schema.js';

/** Raised when a line changes in a way an older reader cannot ignore. */
export const EXEC_VERSION = 1;

export type ExecEvent = DeepReadonly<z.infer<typeof execEventSchema>>;
export type ExecItem = Extract<ExecEvent, { type: 'item.completed' }>['item'];
export type ItemOf<Type extends ExecItem['type']> = Extract<ExecItem, { type: Type }>;

/** An item before it has its number. */
export type ItemBody = Numberless<ExecItem>;

type Numberless<Item> = Item extends ExecItem ? Omit<Item, 'id'> : never;

type DeepReadonly<Value> = Value extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;
