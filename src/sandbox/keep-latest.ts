/** Keeps what was made of the latest few requests: commands that follow each other mostly ask for the same. */
export interface Kept<Request, Made> {
  get(request: Request): Made;
}

const MOST = 8;

/** `make` depends on nothing but the request. */
export function keepLatest<Request, Made>(make: (request: Request) => Made): Kept<Request, Made> {
  const kept = new Map<string, Made>();
  return {
    get(request) {
      const key = JSON.stringify(request);
      const made = kept.get(key) ?? make(request);
      kept.delete(key);
      kept.set(key, made);
      if (kept.size > MOST) for (const oldest of [...kept.keys()].slice(0, 1)) kept.delete(oldest);
      return made;
    },
  };
}
