/**
 * The service's API (docs/internals/spec/interface.md) as data: the table of record types. A new record type is one file and one
 * line here. May import model, lib and zod.
 */
import type { RecordType } from '../model/record.ts';
import type { Contract } from './define-contract.ts';
import { signals } from './signals.ts';
import { social } from './social.ts';

export const contracts: Readonly<Record<RecordType, Contract>> = { signals, social };

export const recordTypes = Object.keys(contracts) as readonly RecordType[];

export type { Contract, Field } from './define-contract.ts';
export { squash } from './value-kinds.ts';
