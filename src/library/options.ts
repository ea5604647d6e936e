/** The options of the library, typed, under the names of the command line. parse-options.ts checks their values. */
import type { RunEvent } from '../model/event.ts';
import type { RecordType } from '../model/record.ts';
import type { FailOn } from '../report/exit-code.ts';
import type { Mapping } from './mapping.ts';
import type { Row } from './rows.ts';

/**
 * Paths of files, folders and archives, as on the command line; or the rows or the bytes of one input. Rows and bytes are
 * copied to the run folder while they are read, so that a run that was stopped can be resumed.
 */
export type Input = string | readonly string[] | Uint8Array | Iterable<Row> | AsyncIterable<Row | Uint8Array>;

export interface CheckOptions {
  readonly input: Input;
  /** The name of rows or bytes in messages and files. Default: `rows`. */
  readonly name?: string | undefined;
  /** A mapping file, or what it holds. Default: columns are matched with fields as `signals upload` does. */
  readonly mapping?: string | Mapping | undefined;
  /** Default: detected. */
  readonly type?: RecordType | undefined;
  /** Field names of a signal. Default: `auto`. */
  readonly variant?: 'a' | 'b' | 'both' | 'auto' | undefined;
  /** Texts that count as empty, such as `NULL`. */
  readonly empty?: readonly string[] | undefined;
  /** Optional fields that are omitted where their value is invalid. */
  readonly omitInvalid?: readonly string[] | undefined;
  /** Skip the first rows. */
  readonly skip?: number | undefined;
  /** Use at most this many rows. */
  readonly limit?: number | undefined;
  /** Leave out files that cannot be opened, read or mapped; the run then has exit code 3. */
  readonly skipBadFiles?: boolean | undefined;
  /** Send one part of the input: `0/8` is the first of 8 parts, for as many processes. */
  readonly shard?: string | undefined;
  /** Send identical records only once. */
  readonly dedupe?: boolean | undefined;
  /** Skip records that an earlier run delivered. Always on for social events. */
  readonly skipDelivered?: boolean | undefined;
  /** Send even if an earlier run of this input is unfinished or has delivered the rows. */
  readonly again?: boolean | undefined;
  /** Records per request, 1 to 100. Default: 100. */
  readonly batchSize?: number | undefined;
  /** Maximum size of a request, such as `1MB`. */
  readonly maxBytes?: string | number | undefined;
  /** Base URL of the service. */
  readonly baseUrl?: string | undefined;
  /** Allow `http://` for hosts other than this machine: the key is sent unencrypted. */
  readonly allowHttp?: boolean | undefined;
  /** Maximum request rate: `10/s`, `600/m`, `36000/h`. */
  readonly rate?: string | undefined;
  /** URL of the Redis through which several processes share `rate`. Needs the package `@redis/client`. Not recorded if it has a password. */
  readonly rateStore?: string | undefined;
  /** Which rows that fail give exit code 3: any (default), none, or more than `N%`. */
  readonly failOn?: Extract<FailOn, string> | `${number}%` | undefined;
  /** Folder of run folders. Default: `signals-runs` in the working folder. */
  readonly out?: string | undefined;
  /** Folder of the index of delivered records. Default: `.state` in `out`. The program has its own, per user. */
  readonly state?: string | undefined;
  /** Ends the run in order: no new request starts, and requests in flight have the time of `grace`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each event after it was journalled. If it throws, the run ends and the error is thrown. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export interface UploadOptions extends CheckOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Name of the run: its folder. Default: made from the time and the first input. */
  readonly runId?: string | undefined;
  /** Stop if more rows than this are invalid: a number, or `N%`. */
  readonly maxInvalid?: number | `${number}%` | undefined;
  /** Send nothing if the input has fewer rows. */
  readonly minRows?: number | undefined;
  /** Maximum concurrent requests. Default: 8. */
  readonly concurrency?: number | undefined;
  /** Timeout of one request. Default: `30s`. */
  readonly timeout?: string | undefined;
  /** Maximum retries per batch. Default: 8. */
  readonly retries?: number | undefined;
  /** Stop after an outage this long. Default: `30m`. */
  readonly retryMaxTime?: string | undefined;
  /** Longest Retry-After to honour. Default: `5m`. */
  readonly maxWait?: string | undefined;
  /** What to do with social batches of unknown outcome. Default: `hold`. */
  readonly onUnknown?: 'hold' | 'resend' | undefined;
  /** Split refused social batches to find the bad records. Signals are always split. */
  readonly isolate?: boolean | undefined;
  /** Wait for the first batch to succeed. Default: true. */
  readonly canary?: boolean | undefined;
  /** How long requests in flight may continue after `signal`. Default: `20s`. */
  readonly grace?: string | undefined;
  /** Write the journal to the disk at every step, so that it survives a power failure. */
  readonly fsync?: boolean | undefined;
  /** CA certificate to trust besides the usual ones (a PEM file). */
  readonly caFile?: string | undefined;
  /** Client certificate (a PEM file), with `clientKey`. */
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  /** URL of an HTTP proxy. The environment's is not used. */
  readonly proxy?: string | undefined;
}

export interface SandboxOptions {
  /** The key that it accepts. Default: random. */
  readonly key?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Faults to inject, as in `signals sandbox --fault`: `status=503,rate=0.1`. */
  readonly faults?: readonly string[] | undefined;
  /** Decides which batches get a fault. Default: 1. */
  readonly seed?: number | undefined;
}
