/** Names for conversations. They begin with the time, so that they sort as they came (the seventh version of a UUID). */

export function newSessionId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const variant = '89ab'.charAt(Math.floor(Math.random() * 4));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
}

/** It names things and guards nothing. */
function hex(digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('');
}
