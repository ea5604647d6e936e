const USUAL_MS = 10_000;
/** After {@link LONG_RUN_MS}. */
const LONG_RUN_EVERY_MS = 60_000;
const LONG_RUN_MS = 600_000;

/**
 * Time between two lines about the progress, in milliseconds: 10 s, and a minute after ten minutes.
 *
 * @param givenMs `--log-interval`, which replaces it
 */
export function reportIntervalMs(elapsedMs: number, givenMs: number | undefined): number {
  return givenMs ?? (elapsedMs >= LONG_RUN_MS ? LONG_RUN_EVERY_MS : USUAL_MS);
}
