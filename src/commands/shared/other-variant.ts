/** Finds out whether the summary can suggest the other variant. */
import path from 'node:path';
import { contracts } from '../../contract/index.ts';
import type { RunFile } from '../../journal/run-file.ts';
import { readMapping } from '../../plan/index.ts';
import { missingFields } from '../../plan/required-fields.ts';
import { isNothingAccepted, otherVariant } from '../../report/next-steps.ts';
import type { Counts } from '../../report/summary.ts';

/** Fields that the other variant requires and that the mapping in the run folder does not have. */
export async function missingInOtherVariant(
  folder: string,
  { type, variant }: RunFile,
  counts: Counts,
): Promise<readonly string[]> {
  if (variant === undefined || !isNothingAccepted(counts)) return [];
  // The folder of a replay may have none.
  const mapping = await readMapping(path.join(folder, 'mapping.yaml')).catch(() => undefined);
  return mapping === undefined ? [] : missingFields(mapping, contracts[type], otherVariant(variant));
}
