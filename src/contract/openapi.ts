/**
 * Creates an OpenAPI 3.1 document from the contract, for validators, proxies and client generators. It omits what
 * interface.md does not specify: error statuses, error bodies and the size limit of a social batch.
 */
import { z } from 'zod';
import type { Variant } from '../model/record.ts';
import type { Contract } from './define-contract.ts';
import { signals } from './signals.ts';
import { social } from './social.ts';

type Json = Readonly<Record<string, unknown>>;

/** interface.md, "Versioning". */
const INTERFACE_VERSION = '1.0.0';

/** The API names no host. */
const UNKNOWN_SERVER: Json = {
  url: '{base_url}',
  variables: { base_url: { default: 'https://api.example.com', description: 'The base URL of your service.' } },
};

/** @param server the base URL, if known */
export function openApi(server?: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signal Ingestion Service',
      version: INTERFACE_VERSION,
      description:
        'Two batch operations, one for market signals and one for social engagement events. ' +
        'The API does not specify the statuses and bodies of errors.',
    },
    servers: [server === undefined ? UNKNOWN_SERVER : { url: server }],
    security: [{ apiKey: [] }],
    paths: {
      [signals.path]: operation(signals, {
        id: 'ingestSignals',
        summary: 'Batch ingest of market signals',
        description: 'Deduplication, AI classification, account matching, ICP filtering of the submitted signals.',
        element: 'MarketSignal',
        result: 'MarketBatchResult',
        maxItems: signals.limit,
        status: '200',
      }),
      [social.path]: operation(social, {
        id: 'ingestSocial',
        summary: 'Batch ingest of social engagement events',
        description:
          'Events enter the social engagement pipeline; high-warmth, ICP-qualified leads are promoted ' +
          'automatically to the standard sales deals/accounts.',
        element: 'SocialEngagementEvent',
        result: 'SocialBatchResult',
        // The API does not specify the status of a success.
        status: '2XX',
      }),
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
      },
      schemas: {
        MarketSignal: {
          description: 'Has one of two field-name sets. The API does not specify which one the service accepts.',
          anyOf: [reference('MarketSignalA'), reference('MarketSignalB')],
        },
        MarketSignalA: element(signals, 'a'),
        MarketSignalB: element(signals, 'b'),
        SocialEngagementEvent: element(social),
        MarketBatchResult: result({
          stats: object({ accepted: COUNT, deduplicated: COUNT, rejected: COUNT }),
        }),
        SocialBatchResult: result({ promotedToPipeline: COUNT }),
      },
    },
  };
}

const COUNT = { type: 'integer', minimum: 0 };

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly element: string;
  readonly result: string;
  readonly maxItems?: number | undefined;
  readonly status: string;
}

function operation({ envelope }: Contract, { id, element, result, maxItems, status, ...texts }: Operation): Json {
  const elements = { type: 'array', items: reference(element), maxItems };
  return {
    post: {
      operationId: id,
      ...texts,
      requestBody: { required: true, content: json(object({ [envelope]: elements })) },
      responses: {
        [status]: { description: 'The batch was accepted.', content: json(reference(result)) },
        default: { description: 'Not specified by the API.' },
      },
    },
  };
}

/** Without examples, which OpenAPI 3.0 tools refuse. */
function element(contract: Contract, variant?: Variant): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(contract.wire(variant));
  return schema;
}

function result(more: Json): Json {
  return object({ success: { type: 'boolean' }, batchId: { type: 'string' }, ...more });
}

function object(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
