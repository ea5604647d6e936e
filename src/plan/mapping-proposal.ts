/** An automatic mapping that a user decides about: what was found, which questions are open, and what answers change. */
import type { Contract } from '../contract/index.ts';
import type { EncodingGuess } from '../decode/index.ts';
import {
  type ChosenVariant,
  chooseVariant,
  type DetectedType,
  type Discovered,
  discoverMapping,
  type FieldMapping,
  type MappingDocument,
  type Question,
  type Sample,
  type SampledRows,
} from '../map/index.ts';
import type { Variant } from '../model/record.ts';
import { missingFields } from './required-fields.ts';

/** The first rows of inputs with the same columns. */
export type GroupSample = Sample & SampledRows;

export interface MappingProposal {
  /** The first input's name. */
  readonly name: string;
  readonly contract: Contract;
  readonly type: DetectedType;
  /** The effective mapping so far. */
  readonly document: MappingDocument;
  readonly discovered: Discovered;
  readonly variant: ChosenVariant;
  /** The first rows of the inputs. */
  readonly sample: GroupSample;
  /** What options map; not changed by answers. */
  readonly given: MappingDocument;
  readonly requestedVariant: Variant | 'auto';
  /** Encodings that are neither declared nor proven. */
  readonly guessed: readonly { readonly name: string; readonly guess: EncodingGuess }[];
}

/** By field. Undefined: the user leaves the field out. */
export type Answers = ReadonlyMap<string, FieldMapping | undefined>;

/** The mapping with the answers: the columns that they do not use are matched again. */
export function withAnswers(proposal: MappingProposal, answers: Answers): MappingProposal {
  const { contract, sample, given, requestedVariant, document } = proposal;
  const isAnswered = (name: string): boolean => answers.has(contract.field(name)?.name ?? name);
  const unanswered = Object.entries(given.fields).filter(([name]) => !isAnswered(name));
  const mapped = [...answers].flatMap(([field, mapping]) => (mapping === undefined ? [] : [[field, mapping] as const]));
  const fields = Object.fromEntries([...unanswered, ...mapped]);
  const discovered = discoverMapping(sample, contract, { ...given, fields });
  const isLeftOut = (name: string): boolean => isAnswered(name) && !mapped.some(([field]) => field === name);
  const kept = Object.entries(discovered.document.fields).filter(([name]) => !isLeftOut(name));
  const whole = { ...document, fields: Object.fromEntries(kept) };
  const variant = chooseVariant(whole, contract, requestedVariant);
  return {
    ...proposal,
    discovered,
    variant,
    document: { ...whole, variant: variant.variant ?? whole.variant },
  };
}

/** What is open: required fields without a mapping, and uncertain ones, in the order of the interface. */
export function openQuestions(proposal: MappingProposal, answers: Answers): readonly Question[] {
  const { contract, document, discovered, variant } = proposal;
  const missing = new Set(missingFields(document, contract, variant.variant));
  return contract.fieldsOf(variant.variant).flatMap(({ field: { name } }) => {
    if (answers.has(name)) return [];
    const question = discovered.questions.find(({ field }) => field === name);
    if (question !== undefined) return [question];
    return missing.has(name) ? [{ field: name, why: 'no column contains it', options: [] }] : [];
  });
}
