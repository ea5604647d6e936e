/**
 * mixpanel-import as a peer: `node peer.mjs URL FILE`, a CSV file. 100 records a request, 8 workers, no compression,
 * no transforms, no kept answers, which is the fastest that it offers.
 *
 * It sends to api.mixpanel.com and has no setting for another address. So the pool of connections that it asks undici
 * for is given the sink's address here, before it is loaded; nothing else of it is touched.
 */
import { createRequire } from 'node:module';

const [url = '', file = ''] = process.argv.slice(2);
const require = createRequire(import.meta.url);
// The undici that it loads itself, which need not be the one beside it.
const undici = createRequire(require.resolve('mixpanel-import'))('undici');
const { Pool } = undici;
undici.Pool = class extends Pool {
  constructor(_origin, options) {
    super(url, { ...options, connections: 8, pipelining: 1 });
  }
};

const upload = require('mixpanel-import');
const result = await upload({ token: 'token', secret: 'secret' }, file, {
  recordType: 'event',
  streamFormat: 'csv',
  recordsPerBatch: 100,
  workers: 8,
  compress: false,
  fastMode: true,
  forceStream: true,
  abridged: true,
  verbose: false,
  showProgress: false,
  logs: false,
});
process.stdout.write(`${JSON.stringify({ success: result.success, failed: result.failed })}\n`);
process.exit(0);
