/** The type of data that a schema describes. Schemas document the files of a run; nothing is parsed with them. */
import type { z } from 'zod';

export type Data<S extends z.ZodType> = DeepReadonly<z.infer<S>>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
/** Whether the content of a row is its cells, and not an object or a text. */
export function isCells(content: unknown): content is readonly string[] {
  return Array.isArray(content);
}
