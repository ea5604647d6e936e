/**
 * The service itself, on this machine's loopback: what interface.md says at work, from `contract/` alone. It
 * shares no code with the uploader but the contract, so that it can be the witness in tests and rehearsals.
 *
 * What the interface leaves open is a switch or a file; docs/sandbox.md has the table.
 */

export { readAccounts, readProfile } from './config-files.ts';
export { createFaults, LATENCY_LIMIT, type Latency, parseFault } from './fault-spec.ts';
export type { Behaviour, RequestFact } from './request-facts.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.ts';
export {
  DEFAULTS,
  ERROR_SHAPES,
  MOST_BODY,
  OVER_LIMIT,
  RETRY_AFTER,
  type Switches,
  VARIANTS,
} from './switches.ts';
