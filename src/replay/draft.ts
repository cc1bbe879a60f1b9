/** A record that is still being written, of what others may only read. */
export type Draft<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly (infer Item)[] ? Item[] : Value[Key];
};
