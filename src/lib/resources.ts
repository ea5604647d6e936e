/** Opens resources one after the other, and disposes of them in reverse order. */

/** Registers a resource that was just opened, and returns it. */
export type Adopt = <T>(resource: T, dispose: (resource: T) => void | Promise<void>) => T;

/** Disposes of every registered resource when `work` ends, also when it fails. */
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

/** A failure keeps none of the following resources open. */
async function disposeAll([first, ...others]: readonly (() => void | Promise<void>)[]): Promise<void> {
  try {
    await first?.();
  } finally {
    if (others.length > 0) await disposeAll(others);
  }
}
