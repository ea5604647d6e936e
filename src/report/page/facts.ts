/** What a report shows. Types only; commands/shared/report-facts.ts collects it. */
import type { Example, ReasonGroup, Reasons } from '../failure-reasons.ts';
import type { Step } from '../next-steps.ts';
import type { RowState } from '../summary-text.ts';
import type { BatchFacts } from './batch-log.ts';
import type { TimelineFacts } from './timeline.ts';

export interface ReportFacts {
  readonly run: string;
  readonly state: 'complete' | 'stopped' | 'interrupted' | 'running';
  readonly exitCode: number;
  /** What happened and what the service counted, in sentences. */
  readonly headline: readonly string[];
  /** The rows that were read, and how many are in each state. */
  readonly read: number;
  readonly states: readonly RowState[];
  readonly steps: readonly Step[];
  readonly timeline: TimelineFacts;
  readonly batches: BatchFacts;
  /** Why batches were not delivered. */
  readonly answers: ReturnType<Reasons['answers']>;
  /** Batches that were not settled: never sent, or in flight when the run was killed. */
  readonly unsettled: number;
  /** Names of the inputs. */
  readonly names: readonly string[];
  readonly reasons: readonly ReasonFacts[];
  /** Problems that fit into none of the reasons. */
  readonly moreReasons: number;
  /** Changed and unusual values, in sentences. */
  readonly notes: readonly string[];
  /** Undefined if the folder has none. */
  readonly mapping: MappingFacts | undefined;
  /** The command that started the run. */
  readonly command: string;
  /** Name and value. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** When the report was made: ISO 8601, UTC. */
  readonly made: string;
  readonly version: string;
}

export interface ReasonFacts extends Pick<ReasonGroup, 'code' | 'field' | 'column' | 'rows'> {
  readonly examples: readonly (Pick<Example, 'source' | 'line'> & {
    /** What was found and what was expected. Undefined if the rejects file is gone. */
    readonly reason: string | undefined;
  })[];
}

export interface MappingFacts {
  /** The mapping document: YAML. */
  readonly text: string;
  /** A record as it was sent: JSON. Undefined if the inputs are gone or have changed. */
  readonly sample: string | undefined;
  /** Undefined like the sample. */
  readonly filled: FillRates | undefined;
  /** The command that counts how often each field has a value. */
  readonly check: string;
}

/** How often each mapped field has a value in the first rows of an input. */
export interface FillRates {
  readonly source: string;
  readonly rows: number;
  /** In the API's order. */
  readonly fields: readonly { readonly field: string; readonly required: boolean; readonly rows: number }[];
}
