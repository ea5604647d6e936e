/** A new option of upload has a type in library/options.ts, or is named here. */
import { expectTypeOf, it } from 'vitest';
import type { Mapping } from '../../src/library/mapping.ts';
import type { CheckOptions, UploadOptions } from '../../src/library/options.ts';
import type { GivenOptions } from '../../src/library/parse-options.ts';
import type { InputFormat } from '../../src/model/input-format.ts';

/** What a mapping says, or the host of the program. They are checked, so that they can be passed, and have no type. */
type Untyped =
  | 'column'
  | 'delimiter'
  | 'encoding'
  | 'engine'
  | 'format'
  | 'header'
  | 'headerLine'
  | 'map'
  | 'maxRowBytes'
  | 'quote'
  | 'ragged'
  | 'resolve'
  | 'set'
  | 'sheet'
  | 'yes';

/** What the library does itself, and no table declares. */
type Own = 'apiKey' | 'input' | 'mapping' | 'name' | 'onEvent' | 'signal' | 'state';

it('has a type for every option of upload', () => {
  expectTypeOf<Exclude<keyof GivenOptions, Untyped>>().toEqualTypeOf<Exclude<keyof UploadOptions, Own>>();
  expectTypeOf<keyof CheckOptions>().toExtend<keyof UploadOptions>();
});

it('has every format', () => {
  expectTypeOf<NonNullable<NonNullable<Mapping['input']>['format']>>().toEqualTypeOf<InputFormat>();
});
