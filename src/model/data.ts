/** The type of data that a schema describes. Schemas document the files of a run; nothing is parsed with them. */
import type { z } from 'zod';

export type Data<S extends z.ZodType> = DeepReadonly<z.infer<S>>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
