/** `signals`: market signals. `social`: social engagement events. */
export type RecordType = 'signals' | 'social';

/** The field-name set of a market signal on the wire (interface.md, "Market signal"). */
export type Variant = 'a' | 'b' | 'both';

/** Field names of the interface to values, before validation. Absent fields have no key. */
export type Candidate = Readonly<Record<string, unknown>>;

/** A valid row: canonical field names to values that the interface allows. */
export type SignalRecord = Readonly<Record<string, string | number>>;

/**
 * Things worth telling that are no fault, by what happened, with how often: `date_only:detected_at` → 12.
 * The part before the colon is one of {@link NoteCode}.
 */
export type Notes = Readonly<Record<string, number>>;

export type NoteCode =
  | 'date_only' // a date without a time became midnight UTC
  | 'no_offset' // a date-time names no zone: sent as written
  | 'open_value' // a value of an open list that this program does not know: sent as written
  | 'left_out' // a mapped field with a value that the variant has no name for
  | 'free_mail' // an e-mail address at a host of private mail gave no company domain
  | 'date_omitted'; // an unreadable date was left out, as the mapping's `invalid: omit` asks
