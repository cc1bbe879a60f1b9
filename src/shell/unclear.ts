/** Reasons why it cannot be told what a command runs that others want to recognise. */

export const TOO_DEEP = 'it wraps one command in another too often';
export const RUNS_INPUT = 'it runs whatever it is given as input';
export const KNOWN_LATER = 'its script is only known when it runs';
