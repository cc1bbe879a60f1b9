/** Errors that say a permission is missing speak of many things. These are the ones that no right to write would help. */
import type { Mention } from './error-mentions.js';

export function isAboutWriting({ before }: Mention): boolean {
  if (OTHER_PROGRAM.test(before)) return false;
  const words = before.split(' ').filter((word) => !word.includes('/'));
  return !OTHER_ACT.test(words.join(' '));
}

/** They read, run something, or ask for rights over other things than files. */
const OTHER_PROGRAM = new RegExp(
  `^(?:${[
    'cat|head|tail|ls|du|stat|wc|file|grep|rg|less|find(?=: [^\\p{L}])',
    'env|nohup|nice|timeout|exec|su|sudo|doas|ssh|scp|ping|kill|strace|gdb',
    'mount|umount|chroot|unshare|nsenter|docker|podman',
  ].join('|')}): `,
  'u',
);

/** A plain user may not give files away, whoever may write to them. */
const OTHER_ACT = new RegExp(
  String.raw`\b(?:${[
    'access|stat|open directory|for reading|cd:|change directory|chdir|chroot',
    'exec|execve|spawn|run|connect|dial|socket|bind|listen',
    'ownership|owner|group of|permissions of|chown|chgrp|chmod|preserve|utime|change mode',
  ].join('|')})(?!\p{L})`,
  'iu',
);
