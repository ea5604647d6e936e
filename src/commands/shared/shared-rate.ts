/** `--rate-store`: what shares the rate of a run with other processes. */
import type { RateStore } from '../../deliver/index.ts';
import type { Settings } from '../../settings/setting-table.ts';

/** Undefined if the rate is not shared. @throws ProblemError `settings.rate_store_client` if the client of the store is not installed */
export async function openSharedRate(
  { rateStore: url }: Settings,
  baseUrl: string,
  key: string,
): Promise<RateStore | undefined> {
  if (url === undefined) return undefined;
  const { openRateStore } = await import('../../deliver/redis-rate-store.ts');
  return openRateStore({ url, baseUrl, key });
}
