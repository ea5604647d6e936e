/**
 * Creates an OpenAPI 3.1 document from the contracts, for validators, proxies and client generators. It omits what
 * interface.md does not specify: error statuses, error bodies and the size limit of a social batch.
 */
import { z } from 'zod';
import type { Contract } from './define-contract.ts';

type Json = Readonly<Record<string, unknown>>;

/** interface.md, "Versioning". */
const INTERFACE_VERSION = '1.0.0';

/** The API names no host. */
const UNKNOWN_SERVER: Json = {
  url: '{base_url}',
  variables: { base_url: { default: 'https://api.example.com', description: 'The base URL of your service.' } },
};

/** @param server the base URL, if known */
export function openApiOf(contracts: readonly Contract[], server: string | undefined): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signal Ingestion Service',
      version: INTERFACE_VERSION,
      description:
        `One batch operation for each type of record: ${contracts.map(({ title }) => title).join(', ')}. ` +
        'The API does not specify the statuses and bodies of errors.',
    },
    servers: [server === undefined ? UNKNOWN_SERVER : { url: server }],
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(contracts.map((contract) => [contract.path, operationOf(contract)])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
      },
      schemas: Object.fromEntries(contracts.flatMap(schemasOf)),
    },
  };
}

function operationOf({ envelope, limit, documentsLimit, operation }: Contract): Json {
  const { id, summary, description, element, result, status } = operation;
  const elements = { type: 'array', items: reference(element), maxItems: documentsLimit ? limit : undefined };
  const body = { type: 'object', required: [envelope], properties: { [envelope]: elements } };
  return {
    post: {
      operationId: id,
      summary,
      description,
      requestBody: { required: true, content: json(body) },
      responses: {
        [status]: { description: 'The batch was accepted.', content: json(reference(result)) },
        default: { description: 'Not specified by the API.' },
      },
    },
  };
}

/** A record, and an answer. Without examples and `const`, which OpenAPI 3.0 tools refuse. */
function schemasOf({ variants, wire, receipt, operation }: Contract): readonly (readonly [string, Json])[] {
  const { element, result } = operation;
  // A record has the names of one variant; `both` is for a service that accepts neither.
  const named = variants.flatMap((variant) =>
    variant === 'both' ? [] : [[`${element}${variant.toUpperCase()}`, schemaOf(wire(variant))] as const],
  );
  const description = 'Has one of several sets of field names. The API does not specify which one the service accepts.';
  const anyOf = named.map(([name]) => reference(name));
  return [
    [element, named.length === 0 ? schemaOf(wire()) : { description, anyOf }],
    ...named,
    [result, schemaOf(receipt)],
  ];
}

function schemaOf(type: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input', target: 'openapi-3.0' });
  return schema;
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
