/** `signals`: market signals. `social`: social engagement events. */
export type RecordType = 'signals' | 'social';

/** The field-name set of a market signal on the wire (interface.md, "Market signal"). */
export type Variant = 'a' | 'b' | 'both';

/** Field names of the interface with values that are not validated. Absent fields have no key. */
export type Candidate = Readonly<Record<string, unknown>>;

/** A valid record: canonical field names with values that the interface allows. */
export type SignalRecord = Readonly<Record<string, string | number>>;
