/** What a Seatbelt profile depends on beside the policy. */
import type { AbsolutePath } from '../../core/paths.js';

export type SeatbeltOptions = {
  /** Where the proxy listens on localhost. Without one, listed hosts cannot be reached either. */
  readonly proxyPort?: number;
  /**
   * Whether servers on localhost can be made and reached, default yes. There is one localhost for the whole machine:
   * with it, services of the host that listen there are within reach.
   */
  readonly localhost?: boolean;
  /** A folder made for this command alone, by its real path: it may write there, and its sockets live there. */
  readonly ownFolder?: AbsolutePath;
};
