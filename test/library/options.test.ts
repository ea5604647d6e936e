import { expectTypeOf, it } from 'vitest';
import type { CheckOptions, Mapping, UploadOptions } from '../../src/library/options.ts';
import type { InputFormat } from '../../src/model/input-format.ts';

it('has the types of the option table', () => {
  expectTypeOf<CheckOptions['variant']>().toEqualTypeOf<'a' | 'b' | 'both' | 'auto' | undefined>();
  expectTypeOf<CheckOptions['dedupe']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<CheckOptions['limit']>().toEqualTypeOf<number | string | undefined>();
  expectTypeOf<UploadOptions['timeout']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<UploadOptions['canary']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<UploadOptions['baseUrl']>().toEqualTypeOf<string>();
  expectTypeOf<keyof CheckOptions>().toExtend<keyof UploadOptions>();
  // A program reads its key and changes its rows itself, and has no profiles.
  expectTypeOf<'profile' | 'apiKeyFile' | 'transform' | 'sandbox' | 'json'>()
    .exclude<keyof UploadOptions>()
    .toEqualTypeOf<'profile' | 'apiKeyFile' | 'transform' | 'sandbox' | 'json'>();
});

it('has every format', () => {
  expectTypeOf<NonNullable<NonNullable<Mapping['input']>['format']>>().toEqualTypeOf<InputFormat>();
});
