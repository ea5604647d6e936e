/** What the kernel asks of its host. */

/**
 * What the field of a step comes to for the cells that were scanned last. The host writes the JSON into `answerRoom` and
 * the numbers of the notes by `setNotes`.
 * @returns bytes of JSON; -1 where the field is absent, -2 where the row is the reference path's
 */
export declare function evaluate(step: u32): i32;
