/** What a script must be to be read at all. */

export const LONGEST_SCRIPT = 32 * 1024;

/** Control characters, which shells treat in their own ways, and halves of characters, which do not reach them. */
export const UNREADABLE = /(?![\t\n])\p{Cc}|\p{Cs}/u;
