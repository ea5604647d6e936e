/** A module to load before the program (`--import`): with it, the program runs on another host. */

/** Its clock is two minutes ahead: by it, every heartbeat is two minutes old. */
export const LATER_HOST = `data:text/javascript,${encodeURIComponent(`
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.hostname = () => 'elsewhere';
  syncBuiltinESMExports();
  const now = Date.now;
  Date.now = () => now() + 120_000;
`)}`;
