/** The published JSON Schemas, as validators that also refuse keys which no schema documents. */
import { execFileSync } from 'node:child_process';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { program } from './program.ts';

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { 'date-time': true } });
const validators = new Map<string, ValidateFunction>();

/** What is wrong with the data; empty if it agrees with the schema and has no other keys. */
export function problemsBy(name: string, data: unknown): readonly string[] {
  const validate = validators.get(name) ?? ajv.compile(withoutOtherKeys(schemaOf(name)));
  validators.set(name, validate);
  if (validate(data)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${name}${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

function schemaOf(name: string): object {
  return JSON.parse(execFileSync(process.execPath, [program, 'schema', name], { encoding: 'utf8' }));
}

/** The published schemas allow further keys, for later versions. This version writes none. */
function withoutOtherKeys(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    typeof value === 'object' && value !== null && typeof value.properties === 'object' && value.type === 'object'
      ? { ...value, additionalProperties: false }
      : value,
  );
}
