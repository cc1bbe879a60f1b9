/** Something that is made when it is first needed, and then kept. What failed is tried again. */
export type Once<Value> = {
  (): Promise<Value>;
  /** What there is of it, without making it. */
  started(): Promise<Value> | undefined;
};

export function once<Value>(make: () => Promise<Value>): Once<Value> {
  let made: Promise<Value> | undefined;
  const get = (): Promise<Value> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return Object.assign(get, { started: () => made });
}
