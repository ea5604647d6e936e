/** The data of the charts. timeline.ts makes them, page/index.ts draws them. Types only: that runs in a browser. */
export interface ChartData {
  /** Seconds since the start, one for each bucket. */
  readonly seconds: readonly number[];
  /** Requests per second. */
  readonly delivered: readonly number[];
  readonly throttled: readonly number[];
  readonly failed: readonly number[];
  /** Seconds; null if no answer came. */
  readonly median: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  readonly marks: readonly ChartMark[];
}

export interface ChartMark {
  readonly kind: 'throttled' | 'outage' | 'slower' | 'resumed';
  /** Seconds since the start. */
  readonly from: number;
  /** Absent for a moment. */
  readonly to?: number | undefined;
}
