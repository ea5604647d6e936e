/** Which record type an input holds, by what discovery makes of it. Undecided rather than wrong. */
import type { Contract } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import type { MappingDocument } from '../document-schema.ts';
import { columnsIn, discover } from './index.ts';
import type { Sample } from './proposal.ts';
import { detectTopic } from './table-topic.ts';

export interface DiscoveredType {
  readonly type: RecordType;
  /** A clause that begins with "because". */
  readonly why: string;
}

/**
 * Social: somebody engages, by a column of what they did, or of what they wrote and who they are. Signals: a company
 * or a headline, and rows that are not people. What has neither or both is undefined.
 */
export function discoverType(
  sample: Sample,
  contracts: Readonly<Record<RecordType, Contract>>,
  given: MappingDocument,
): DiscoveredType | undefined {
  const known = (contract: Contract): MappingDocument => ({
    ...given,
    fields: Object.fromEntries(Object.entries(given.fields).filter(([name]) => contract.field(name) !== undefined)),
  });
  const found = (contract: Contract): ReadonlySet<string> =>
    new Set(Object.keys(discover(sample, contract, known(contract)).document.fields));
  const social = found(contracts.social);
  const signals = found(contracts.signals);
  const { people } = detectTopic(columnsIn(sample));
  const engages =
    social.has('engagement_type') ||
    // A comment alone may be a form's: there must be an address of a profile or a post.
    (social.has('engagement_content') && (social.has('engager_profile_url') || social.has('post_url')));
  const reports =
    !people && (signals.has('company_name') || signals.has('signal_title') || signals.has('signal_source'));
  if (engages) {
    const telling = social.has('engagement_type') ? 'engagement_type' : 'engagement_content';
    return { type: 'social', why: `because there is a column for ${telling}` };
  }
  if (reports) {
    const telling = ['company_name', 'signal_title', 'signal_source'].find((name) => signals.has(name));
    return { type: 'signals', why: `because there is a column for ${telling}` };
  }
  return undefined;
}
