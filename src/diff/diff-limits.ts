/** How much of what changed a diff shows. */

export type DiffLimits = {
  /** The largest file whose content is shown. */
  readonly fileBytes: number;
  /** No more files are begun after so many characters. */
  readonly totalCharacters: number;
};

export const DIFF_LIMITS: DiffLimits = { fileBytes: 1024 * 1024, totalCharacters: 4 * 1024 * 1024 };
