/** `signals`: market signals. `social`: social engagement events. */
export type RecordType = 'signals' | 'social';

/** The field-name set of a market signal on the wire (interface.md, "Market signal"). */
export type Variant = 'a' | 'b' | 'both';

/** Field names of the interface with values that are not validated. Absent fields have no key. */
export type Candidate = Readonly<Record<string, unknown>>;

/** A valid record: canonical field names with values that the interface allows. */
export type SignalRecord = Readonly<Record<string, string | number>>;

/**
 * Counts of remarks about valid values: `date_only:detected_at` → 12. The part before the colon is a {@link NoteCode}.
 */
export type Notes = Readonly<Record<string, number>>;

export type NoteCode =
  | 'date_only' // a date without a time: sent as midnight UTC
  | 'no_offset' // a date-time without a zone: sent as written
  | 'open_value' // an unknown value of an open list: sent as written
  | 'left_out' // a mapped field with a value, not sent because the variant has no name for it
  | 'free_mail' // no company domain, because the e-mail address is at a free-mail host
  | 'date_omitted'; // an invalid date was omitted, because the mapping has `invalid: omit`
