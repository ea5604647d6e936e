/** The version of the program, and of what it prints for other programs. */
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** Of the objects of `--json`: changes when a key gets another meaning or disappears, not when one is added. */
export const schemaVersion = 1;

export const userAgent = `signals-upload/${version}`;

/** The object that `--json` prints if there is no summary. @param errors what a ProblemError has */
export function errorObject(exitCode: number, errors: readonly object[], run?: string) {
  return { schemaVersion, toolVersion: version, run, exitCode, errors };
}

/**
 * The command that installs optional packages where this program finds them. Pure.
 *
 * @param module path of a file of the program: `…/node_modules/signals-upload/dist/main.js`
 * @param exists whether there is a file
 */
export function installCommand(module: string, packages: readonly string[], exists: (file: string) => boolean): string {
  const folders = module.split(path.sep);
  if (folders.includes('_npx')) {
    return `npx ${['signals-upload', ...packages].map((name) => `-p ${name}`).join(' ')} signals upload FILE`;
  }
  const project = folders.slice(0, folders.lastIndexOf('node_modules')).join(path.sep);
  const isGlobal = folders.includes('node_modules') && !exists(path.join(project, 'package.json'));
  return `npm install ${isGlobal ? '-g ' : ''}${packages.join(' ')}`;
}
