/** Opens resources one after the other, and disposes of them in reverse order. What is made once, at the first use. */
import { isSystemError } from './text.ts';

/** Registers a resource that was just opened, and returns it. */
export type Adopt = <T>(resource: T, dispose: (resource: T) => void | Promise<void>) => T;

export async function withResources<T>(work: (adopt: Adopt) => Promise<T>): Promise<T> {
  const disposers: (() => void | Promise<void>)[] = [];
  try {
    return await work((resource, dispose) => {
      disposers.unshift(() => dispose(resource));
      return resource;
    });
  } finally {
    await disposeAll(disposers);
  }
}

/**
 * A failure keeps none of the following resources open. One of the system is ignored: everything that must be in a file was
 * written before, and reported.
 */
async function disposeAll([first, ...others]: readonly (() => void | Promise<void>)[]): Promise<void> {
  try {
    await first?.();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  } finally {
    if (others.length > 0) await disposeAll(others);
  }
}

/** Defers `make` to the first call and caches its result. For tables that most runs do not use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Caches the last result: several questions about one text follow each other. */
export function rememberLast<T>(make: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly made: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) };
    return last.made;
  };
}
