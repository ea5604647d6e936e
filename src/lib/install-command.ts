import path from 'node:path';

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

/** Whether an import failed because an optional package is not installed. */
export function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
