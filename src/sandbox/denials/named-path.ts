/** A path as the output of a program names it. */
export type NamedPath = {
  readonly path: string;
  /** Whether it was to be removed or replaced: that is a change of the folder that holds it. */
  readonly removed: boolean;
  /** A single word that may be anything. */
  readonly bare: boolean;
};
