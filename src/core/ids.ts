/** Identities that must never be mixed up: an approval given for one call must not reach another. */

declare const brand: unique symbol;

/** A type that is distinct to the compiler although it is the same value at run time. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };

export type CallId = Brand<string, 'CallId'>;
export type SessionId = Brand<number, 'SessionId'>;

export function callId(text: string): CallId {
  return text as CallId;
}

export function sessionId(number: number): SessionId {
  return number as SessionId;
}
