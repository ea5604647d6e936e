/** Modules to load before the program (`--import`): with them, it runs on another host. */

/** @param clock statements that change its clock */
export function otherHost(clock: string): string {
  return `data:text/javascript,${encodeURIComponent(`
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.hostname = () => 'elsewhere';
  syncBuiltinESMExports();
  ${clock}
`)}`;
}

/** Its clock is two minutes ahead: by it, every heartbeat is two minutes old. */
export const LATER_HOST = otherHost('const now = Date.now; Date.now = () => now() + 120_000;');
