/**
 * The service itself, on this machine's loopback: what interface.md says at work, from `contract/` alone. It
 * shares no code with the uploader but the contract, so that it can be the witness in tests and rehearsals.
 *
 * Not here: classification, account matching and ICP filtering. The interface names these effects, and no answer
 * shows them.
 */

export type { Behaviour, RequestFact } from './facts.ts';
export { createFaults, LATENCY_LIMIT, type Latency, parseFault } from './fault.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.ts';
export { ERROR_SHAPES } from './shape.ts';
export { DEFAULTS, MOST_BODY, OVER_LIMIT, RETRY_AFTER, type Switches, VARIANTS } from './switches.ts';
