/** Its other name. */
export { sideBySide } from '../core/side-by-side.js';
