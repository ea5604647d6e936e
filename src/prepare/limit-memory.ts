/** Limits the memory of a run: rows pass through, and little stays. */
import { setFlagsFromString } from 'node:v8';
import { once } from '../lib/once.ts';

/** V8 prints an error for a flag that it does not know. */
const NEWEST_TESTED = 26;

/**
 * To be called when the modules are loaded and the fast path's WebAssembly is compiled: after a change of flags, V8 refuses
 * Node's precompiled modules.
 *
 * - V8 doubles the space for new objects up to 16 MB twice, or 32 MB twice since Node 24. It keeps the size that it has.
 * - Node 20 optimises undici's parser of answers, which takes 100 ms and 29 MB for answers of 100 bytes. The parser is
 *   compiled for the first request, and stays as it is compiled first.
 */
export const limitMemory = once(() => {
  const major = Number.parseInt(process.versions.node, 10);
  if (major <= NEWEST_TESTED) setFlagsFromString('--semi-space-growth-factor=1');
  if (major === 20) setFlagsFromString('--liftoff-only');
});
