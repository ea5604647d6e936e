/** The version of this program, from its package.json. */
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** Of the objects of `--json`: changes when a key gets another meaning or disappears, not when one is added. */
export const schemaVersion = 1;
