/** The version of this program, from its package.json. */
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** Of the objects of `--json`: changes when a key gets another meaning or disappears, not when one is added. */
export const schemaVersion = 1;

export const userAgent = `signals-upload/${version}`;

/** The object that `--json` prints if there is no summary. @param errors what a ProblemError has */
export function errorObject(exitCode: number, errors: readonly object[], run?: string) {
  return { schemaVersion, toolVersion: version, run, exitCode, errors };
}
