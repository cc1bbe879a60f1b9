/** Its other place. */
export { workspaceWith } from '../core/workspace-with.js';
