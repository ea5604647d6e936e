/** The state folder: the list of run folders and the claims on records. Runs work without it. */
import os from 'node:os';
import path from 'node:path';
import { attempt } from '../lib/text.ts';
import type { Problem } from '../model/problem.ts';

const STATE_VARIABLE = 'SIGNALS_STATE_DIR';

/**
 * SIGNALS_STATE_DIR; else `signals` in XDG_STATE_HOME (XDG Base Directory Specification 0.8: ignored if relative); else
 * the system's folder for state. Undefined if the user has no home folder.
 */
export function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string | undefined {
  const given = env[STATE_VARIABLE];
  if (given !== undefined && given !== '') return path.resolve(given);
  const xdg = env['XDG_STATE_HOME'];
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'signals');
  const local = env['LOCALAPPDATA'];
  if (platform === 'win32' && local !== undefined && local !== '') return path.join(local, 'signals', 'State');
  const home = homeOf(env);
  if (home === undefined) return undefined;
  if (platform === 'win32') return path.join(home, 'AppData', 'Local', 'signals', 'State');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'signals');
  return path.join(home, '.local', 'state', 'signals');
}

function homeOf(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['HOME'];
  if (named !== undefined && path.isAbsolute(named)) return named;
  // Fails for example for a user of a container who is not in /etc/passwd.
  const home = attempt(() => os.homedir());
  return home !== undefined && path.isAbsolute(home) ? home : undefined;
}

export function noStateFolder(): Problem {
  return {
    code: 'state.folder',
    message: 'There is no state folder: the user has no home folder.',
    hint: `Set ${STATE_VARIABLE} to a folder.`,
  };
}
