/** The codes of issues. report/problem-text.ts has their words. */
import { z } from 'zod';

export const issueCode = z.enum([
  'missing', // a required field is absent
  'constants', // no mapped column has a value: the record would have constants only
  'type', // an object, an array, a boolean: not a value of this field
  'enum', // not one of the allowed values
  'number', // not a number
  'range', // a number outside the allowed range
  'date', // not an ISO 8601 date-time, or not of the mapping's format
  'domain', // no domain in the cell
  'value', // not in the mapping's table of values
  'columns', // more or fewer cells than the header
  'cell', // an error of a spreadsheet, or a formula without a value
  'quote', // a quote that is never closed, or text after a closing quote
  'encoding', // bytes that are not text in the input's encoding
  'json', // not a JSON object
  'transform', // the function of --transform failed, or returned no row
  'size', // a row or a record larger than the limit
]);

/** Why a row is invalid. */
export type IssueCode = z.infer<typeof issueCode>;
