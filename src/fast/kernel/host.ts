/** The kernel's imports: functions of its host. */

/**
 * Evaluates the field of a step for the row scanned last. The host writes the JSON to the address that `beginAnswer` returns.
 * @returns bytes of JSON; -1 if the field is absent, -2 if the row is for the reference path
 */
export declare function evaluate(step: u32): i32;
