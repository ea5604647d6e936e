/** Limits the memory of a run: rows pass through, and little stays. */
import { setFlagsFromString } from 'node:v8';
import { once } from '../lib/resources.ts';

/** V8 prints an error for a flag that it does not know. */
const NEWEST_TESTED = 26;

const major = Number.parseInt(process.versions.node, 10);

/**
 * Keeps V8's space for new objects at the size that it has. V8 doubles it up to 16 MB twice, or 32 MB twice since Node 24.
 *
 * To be called as late as possible: after a change of flags, V8 refuses Node's precompiled modules.
 */
export const limitNewSpace = once(() => {
  if (major <= NEWEST_TESTED) setFlagsFromString('--semi-space-growth-factor=1');
});

/**
 * To be called when the fast path's WebAssembly is compiled, and before the first request: Node 20 optimises undici's parser
 * of answers, which takes 100 ms and 29 MB for answers of 100 bytes. The parser stays as it is compiled first.
 */
export const limitMemory = once(() => {
  limitNewSpace();
  if (major === 20) setFlagsFromString('--liftoff-only');
});
