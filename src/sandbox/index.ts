/**
 * The sandbox: a local mock of the service, built from docs/internals/spec/interface.md by way of `contract/`. It takes HTTP
 * requests and gives receipts; it keeps what arrived for read-back and can inject faults. It imports `contract`, `model`
 * and `lib` only and shares no code with the uploader, because tests use it to judge the uploader.
 *
 * docs/sandbox.md lists the options for behaviour that the interface leaves open.
 */
export { ERROR_SHAPES } from './answer.ts';
export { createFaults, faultForms, type InjectedFault, LATENCY_LIMIT, type LatencyRange, parseFault } from './fault.ts';
export { VARIANTS } from './ingest.ts';
export { type Sandbox, type SandboxServerOptions, startSandbox } from './server.ts';
export { type BehaviourOptions, DEFAULT_BEHAVIOUR, MAX_BODY_LIMIT, OVER_LIMIT, RETRY_AFTER } from './service.ts';
export { countRequests, type LoggedRequest } from './store.ts';
