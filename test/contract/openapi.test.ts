import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { contracts, openApi } from '../../src/contract/index.ts';
import { openApiOf } from '../../src/contract/openapi.ts';
import { judgeOf } from '../support/wire-judge.ts';

interface Schema {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Document {
  readonly openapi: string;
  readonly servers?: unknown;
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

const document = JSON.parse(JSON.stringify(openApi())) as Document;
const judge = await judgeOf(document);

test('is valid for an independent OpenAPI validator', async () => {
  const validator = new Validator();
  for (const server of [undefined, 'http://127.0.0.1:4010']) {
    expect(await validator.validate({ ...openApi(server) })).toStrictEqual({ valid: true });
  }
  expect(validator.version).toBe('3.1');
  const { info: _none, ...broken } = openApi();
  expect(await validator.validate(broken)).toMatchObject({ valid: false });
});

test('has no status and no limit that the interface does not specify', () => {
  const [signals, social] = Object.values(document.paths);
  expect(Object.keys(signals?.post.responses ?? {})).toStrictEqual(['200', 'default']);
  expect(Object.keys(social?.post.responses ?? {})).toStrictEqual(['2XX', 'default']);
  const body = (operation: Operation | undefined): Schema | undefined =>
    operation?.requestBody.content['application/json'].schema;
  expect(body(signals?.post)?.properties?.['signals']).toHaveProperty('maxItems', 100);
  expect(body(social?.post)?.properties?.['events']).not.toHaveProperty('maxItems');
});

test('has a record type that was added', () => {
  const added = {
    ...contracts.social,
    title: 'web visits',
    path: '/v1/visits/ingest',
    limit: 40,
    documentsLimit: true,
  };
  const { paths, info } = openApiOf([contracts.signals, added], undefined) as unknown as Document & {
    readonly info: { readonly description: string };
  };
  const [body] = Object.values(paths[added.path]?.post.requestBody.content ?? {});
  expect(body?.schema.properties?.[added.envelope]).toHaveProperty('maxItems', 40);
  expect(info.description).toContain('market signals, web visits');
});

test('has each field of both variants, with its description', () => {
  const { MarketSignalA, MarketSignalB, SocialEngagementEvent } = document.components.schemas;
  expect(SocialEngagementEvent?.required).toStrictEqual(['platform', 'engagement_type']);
  expect(Object.keys(SocialEngagementEvent?.properties ?? {})).toHaveLength(12);
  expect(SocialEngagementEvent?.properties?.['warmth_hint']).toMatchObject({
    type: 'integer',
    minimum: 0,
    maximum: 100,
  });
  for (const schema of [MarketSignalA, MarketSignalB, SocialEngagementEvent]) {
    for (const property of Object.values(schema?.properties ?? {})) {
      expect(property['description']).toMatch(/^\S.+\.$/);
    }
  }
});

describe('accepts and refuses the hand-written request bodies as the interface does', () => {
  const folder = path.join(import.meta.dirname, '..', '..', 'fixtures', 'wire');
  const names = ['signals-a', 'signals-b', 'signals', 'social'].flatMap((part) =>
    readdirSync(path.join(folder, part)).map((name) => `${part}/${name}`),
  );

  test.each(names)('%s', (name) => {
    const wire = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    const type = name.startsWith('social') ? 'social' : 'signals';
    const { repeat = 1, body, expect: wanted } = wire;
    const elements = body[contracts[type].envelope];
    const sent = { [contracts[type].envelope]: Array.from({ length: repeat }, () => elements).flat() };
    // What is rejected item by item is no valid element; social has no limit in the interface.
    const rejected = wanted.stats?.rejected ?? elements.length * repeat - (wanted.stored ?? 0);
    const valid = wanted.status === 200 ? rejected === 0 : type === 'social';
    const { errors } = judge.validateRequest({
      method: 'POST',
      path: contracts[type].path,
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: sent,
    });
    expect((errors ?? []).length === 0, JSON.stringify(errors)).toBe(valid);
  });
});
