/** Reasons why it cannot be told what a command runs that others want to recognise. */

export const TOO_DEEP = 'it wraps one command in another too often';
export const CALLS_ITSELF = 'a function of it calls itself';
export const RUNS_INPUT = 'it runs whatever it is given as input';
export const GIVES_TO_SHELL = 'it gives its words to a shell';
export const KNOWN_LATER = 'its script is only known when it runs';
