/** What Node's runtime is asked for: less memory, since rows pass through and few stay. */
import { setFlagsFromString } from 'node:v8';
import { once } from '../../lib/resources.ts';

/** V8 prints an error for a flag that it does not know. */
const NEWEST_TESTED = 26;

const major = Number.parseInt(process.versions.node, 10);

/**
 * Keeps V8's space for new objects at the size that it has: V8 doubles it up to 16 MB twice, or 32 MB twice since Node 24. Collects
 * old objects when they have grown by half, not fourfold: of a batch, few stay. Node 20 also optimises undici's parser of
 * answers, which takes 100 ms and 29 MB for answers of 100 bytes.
 *
 * To be called after the first rows were read, and before the first request: after a change of flags, V8 refuses Node's precompiled
 * modules, and Node 20 does not optimise what it compiles.
 */
export const limitMemory = once(() => {
  if (major <= NEWEST_TESTED) setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=50');
  if (major === 20) setFlagsFromString('--liftoff-only');
});
