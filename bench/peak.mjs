/** Loaded into the measured process: writes its peak memory, in kilobytes, to the file named by SIGNALS_PEAK. */
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const file = process.env.SIGNALS_PEAK;
  if (file) writeFileSync(file, String(process.resourceUsage().maxRSS));
});
