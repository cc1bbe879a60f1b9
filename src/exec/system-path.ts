/** Where our own helpers are looked for: the system's folders first, because a project may put others before them. */
export const SYSTEM_PATH = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', ...(process.env['PATH'] ?? '').split(':')]
  .filter((folder) => folder.startsWith('/'))
  .join(':');
