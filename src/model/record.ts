/** The types of records, and their values by field. contract/ says which fields there are. */
import { z } from 'zod';

export const recordType = z.enum(['signals', 'social']);

/** `signals`: market signals. `social`: social engagement events. */
export type RecordType = z.infer<typeof recordType>;

export const variant = z.enum(['a', 'b', 'both']);

/** The field-name set of a market signal on the wire (interface.md, "Market signal"). */
export type Variant = z.infer<typeof variant>;

/** Field names of the API with values that are not validated. Absent fields have no key. */
export type Candidate = Readonly<Record<string, unknown>>;
