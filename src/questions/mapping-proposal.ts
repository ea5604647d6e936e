/** An automatic mapping that a user decides about: what was found, what is open, what answers change, and what rows become. */
import type { Contract } from '../contract/index.ts';
import type { EncodingGuess } from '../input/decode-types.ts';
import { RunReasons } from '../journal/run-reasons.ts';
import {
  type ChosenVariant,
  chooseVariant,
  compileMapping,
  type DetectedType,
  type Discovered,
  discoverMapping,
  type FieldMapping,
  type MappingDocument,
  type Question,
  type Sample,
  type SampledRows,
  sentIfMapped,
  tryField,
} from '../map/index.ts';
import { ProblemError, problemsOf } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import type { Row } from '../model/row.ts';
import { createRecordReader } from '../prepare/record.ts';
import { isNeedless } from '../report/ending-text.ts';
import { describeReason } from '../report/problem-text.ts';

/** The first rows of inputs with the same columns. */
export interface GroupSample extends Sample, SampledRows {
  /** Those of `contents`, with the cells of a sheet that have no value. */
  readonly sampled: readonly SampledRow[];
  /** Whether they are all rows of the inputs. */
  readonly isWhole: boolean;
}

export type SampledRow = Pick<Row, 'content' | 'cellIssues'>;

export interface MappingProposal {
  /** The first input's name. */
  readonly name: string;
  /** How the first input is read, such as its sheet and those that are not read. */
  readonly form: readonly string[];
  readonly inputs: number;
  readonly contract: Contract;
  readonly type: DetectedType;
  readonly document: MappingDocument;
  readonly discovered: Discovered;
  readonly variant: ChosenVariant;
  readonly sample: GroupSample;
  /** What options map; not changed by answers. */
  readonly given: MappingDocument;
  readonly requestedVariant: Variant | 'auto';
  /** Encodings that are neither declared nor proven. */
  readonly guessed: readonly { readonly name: string; readonly guess: EncodingGuess }[];
}

/** By field. Undefined: the user leaves the field out. */
export type Answers = ReadonlyMap<string, FieldMapping | undefined>;

/** An optional field that is left out without a user's answer. */
export interface LeftOutField {
  readonly question: Question;
  readonly why: string;
}

/** With the encoding that the user has confirmed: the mapping need not guess it again. Of several inputs, others can differ. */
export function withGuessedEncoding(proposal: MappingProposal): MappingProposal {
  const { inputs, guessed, document } = proposal;
  const [first] = guessed;
  if (first === undefined || inputs > 1) return proposal;
  return { ...proposal, document: { ...document, input: { ...document.input, encoding: first.guess.encoding } } };
}

/** The mapping with the answers: the columns that they do not use are matched again. */
export function withAnswers(proposal: MappingProposal, answers: Answers): MappingProposal {
  const { contract, sample, given, requestedVariant, document } = proposal;
  const isAnswered = (name: string): boolean => answers.has(contract.field(name)?.name ?? name);
  const unanswered = Object.entries(given.fields).filter(([name]) => !isAnswered(name));
  const mapped = [...answers].flatMap(([field, mapping]) => (mapping === undefined ? [] : [[field, mapping] as const]));
  const fields = Object.fromEntries([...unanswered, ...mapped]);
  const discovered = discoverMapping(sample, contract, { ...given, fields }, requestedVariant);
  const isLeftOut = (name: string): boolean => isAnswered(name) && !mapped.some(([field]) => field === name);
  const kept = Object.entries(discovered.document.fields).filter(([name]) => !isLeftOut(name));
  const { empty } = discovered.document;
  const whole = { ...document, empty, fields: Object.fromEntries(kept) };
  const variant = chooseVariant(whole, contract, requestedVariant);
  return {
    ...proposal,
    discovered,
    sample: { ...sample, empty: discovered.emptyIfAnswered },
    variant,
    document: { ...whole, variant: variant.variant ?? whole.variant },
  };
}

/** Required fields of the type and variant that nothing is mapped to. */
export function missingFields(
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): readonly string[] {
  const mapped = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name));
  return contract.requiredOf(variant).filter((name) => !mapped.has(name));
}

export function wouldBeSent({ contract, document, requestedVariant }: MappingProposal, field: string): boolean {
  return sentIfMapped(field, document, contract, requestedVariant);
}

/** The options that make most sampled rows invalid come last. */
function fittingFirst(question: Question, { contract, sample }: MappingProposal): Question {
  const field = contract.field(question.field);
  if (field === undefined || question.options.length < 2) return question;
  const isPoor = new Map(
    question.options.map((each) => {
      const { values, invalid } = tryField(each.mapping, field, sample);
      return [each, invalid.length > values.length];
    }),
  );
  const options = question.options.toSorted((one, other) => Number(isPoor.get(one)) - Number(isPoor.get(other)));
  return { ...question, options };
}

/** What is open: required fields without a mapping, and uncertain ones, in the order of the API. */
export function openQuestions(proposal: MappingProposal, answers: Answers): readonly Question[] {
  const { contract, document, discovered, variant } = proposal;
  const missing = new Set(missingFields(document, contract, variant.variant));
  return contract.fields.flatMap(({ name }) => {
    if (answers.has(name) || !wouldBeSent(proposal, name)) return [];
    const question = discovered.questions.find(({ field }) => field === name);
    if (question !== undefined) return [fittingFirst(question, proposal)];
    return missing.has(name) ? [{ field: name, why: 'no column contains it', options: [] }] : [];
  });
}

export interface MappingTrial {
  readonly rows: number;
  /** Whether they are all rows of the inputs. */
  readonly isWhole: boolean;
  readonly valid: number;
  /** Why rows are invalid, the most frequent reason first. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
}

/** @throws ProblemError if the mapping does not fit the columns, or lacks a required field */
export function tryMapping({ name, document, contract, variant, sample }: MappingProposal): MappingTrial {
  const { columns, sampled, rowForm, isWhole } = sample;
  const target = { contract, variant: variant.variant, columns, rowForm, inputName: name };
  const mapping = compileMapping(document, target);
  const readRecord = createRecordReader(contract, variant.variant, mapping.columnOf);
  const reasons = new RunReasons();
  let valid = 0;
  for (const row of sampled) {
    const result = readRecord(mapping.apply(row));
    if ('issues' in result) reasons.add({ source: 0, line: 0 }, result.issues);
    else valid += 1;
  }
  return {
    rows: sampled.length,
    isWhole,
    valid,
    reasons: reasons.invalid.map((group) => {
      const needless = isNeedless(group, contract.type, variant.variant) ? ', which variant a does not need' : '';
      return { reason: `${describeReason(group)}${needless}`, rows: group.rows };
    }),
  };
}

/** @throws ProblemError if the mapping does not fit the columns; not if a required field is open */
export function checkColumns({ name, document, contract, variant, sample }: MappingProposal): void {
  try {
    const { columns, rowForm } = sample;
    compileMapping(document, { contract, variant: variant.variant, columns, rowForm, inputName: name });
  } catch (error) {
    const problems = problemsOf(error).filter(({ code }) => code !== 'mapping.required');
    if (problems.length > 0) throw new ProblemError(problems);
  }
}
