/** For tables that few runs ask for: made when they are first wanted, and not while the program is loaded. */

/** @param make must be pure: when it runs is nobody's business */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
