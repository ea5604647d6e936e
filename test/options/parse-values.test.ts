import { describe, expect, it } from 'vitest';
import {
  duration,
  parseBaseUrl,
  parseChoice,
  parseCount,
  parseKey,
  parseRate,
  size,
} from '../../src/options/parse-values.ts';

const anyDuration = duration({ min: '0s', max: '30d' });
const anySize = size({ min: '1', max: '10GiB' });

describe('duration', () => {
  it.each([
    ['30s', 30_000],
    ['500ms', 500],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['30d', 2_592_000_000],
    ['30', 30_000],
    ['0', 0],
    ['1.5s', 1500],
    [' 2 M ', 120_000],
  ])('reads %j as %d ms', (text, value) => {
    expect(anyDuration(text)).toEqual({ value });
  });

  it.each(['', 's', '-1s', '5 minutes', '1m30s', '1e3', '.5s', '31d', 'Infinity', '5mm'])('rejects %j', (text) => {
    expect(anyDuration(text)).toMatchObject({ issue: { found: text.trim() } });
  });
});

describe('size', () => {
  it.each([
    ['1MiB', 1_048_576],
    ['500KB', 500_000],
    ['1000', 1000],
    ['1 kib', 1024],
    ['2MB', 2_000_000],
    ['1GiB', 1_073_741_824],
    ['10b', 10],
    ['0.5KiB', 512],
  ])('reads %j as %d bytes', (text, value) => {
    expect(anySize(text)).toEqual({ value });
  });

  it.each(['', '1M', '1k', 'MB', '-1', '0', '11GiB', '1 TB'])('rejects %j', (text) => {
    expect(anySize(text)).toHaveProperty('issue');
  });
});

describe('parseRate', () => {
  it.each([
    ['10/s', 10, 1000],
    ['600/m', 600, 60_000],
    ['36000/h', 36_000, 3_600_000],
    ['10', 10, 1000],
    [' 5 / S ', 5, 1000],
  ])('reads %j', (text, requests, perMs) => {
    expect(parseRate(text)).toEqual({ value: { count: requests, perMs } });
  });

  it.each(['', '0/s', '-1/s', '10/d', '10 per s', '/s', '1000001/s', '10/', 'fast'])('rejects %j', (text) => {
    expect(parseRate(text)).toHaveProperty('issue');
  });
});

describe('count', () => {
  it.each(['1', '100', ' 7 ', '007'])('accepts %j', (text) => {
    expect(parseCount(1, 100)(text)).toEqual({ value: Number(text) });
  });

  it.each(['0', '101', '1.0', '+1', '1e2', '0x10', '', 'many', '1,0'])('rejects %j', (text) => {
    expect(parseCount(1, 100)(text)).toMatchObject({ issue: { expected: 'a whole number from 1 to 100' } });
  });
});

describe('choice', () => {
  it('ignores case and spaces', () => {
    expect(parseChoice(['hold', 'resend'])(' Hold ')).toEqual({ value: 'hold' });
  });

  it('lists the allowed values and truncates the found one', () => {
    const text = 'x'.repeat(500);
    expect(parseChoice(['a', 'b'])(text)).toEqual({
      issue: { found: `${'x'.repeat(79)}…`, expected: 'one of a, b' },
    });
  });
});

describe('parseBaseUrl', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    [' https://api.example.com/ \n', 'https://api.example.com'],
    ['https://api.example.com/v1', 'https://api.example.com'],
    ['https://api.example.com//v1///', 'https://api.example.com'],
    ['https://api.example.com/partner/v1/', 'https://api.example.com/partner'],
    ['https://api.example.com/v1/signals/ingest', 'https://api.example.com'],
    ['https://api.example.com/p/v1/social/ingest/', 'https://api.example.com/p'],
    ['https://api.example.com/v10', 'https://api.example.com/v10'],
    ['HTTPS://API.Example.com:443/X', 'https://api.example.com/X'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['http://localhost:8080/v1', 'http://localhost:8080'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
    ['http://127.8.9.10', 'http://127.8.9.10'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
  ])('reads %j as %j', (text, value) => {
    expect(parseBaseUrl(text)).toEqual({ value });
  });

  it.each([
    'http://api.example.com',
    'http://10.0.0.1',
    'http://localhost.evil.example',
    'http://127.evil.example',
    'http://[::2]',
  ])('rejects %j, which would send the key unencrypted', (text) => {
    expect(parseBaseUrl(text)).toMatchObject({
      issue: {
        found: text,
        expected: expect.stringContaining('https://'),
        hint: expect.stringContaining('--allow-http'),
      },
    });
    expect(parseBaseUrl(text, { allowHttp: true })).toEqual({ value: text });
  });

  it.each([
    '',
    'https://',
    'https://exa mple.com',
    'https://api.exam\nple.com',
    'ftp://api.example.com',
    'https://host:99999',
    'https:api.example.com',
    'https://api.example.com?x=1',
    'https://api.example.com/?',
    'https://api.example.com/#top',
  ])('rejects %j', (text) => {
    expect(parseBaseUrl(text)).toHaveProperty('issue');
  });

  it.each([
    'https://user:hunter2-secret@api.example.com',
    'http://hunter2-secret@api.example.com',
    'https://api.example.com/?token=hunter2-secret',
    'https://api.example.com/#hunter2-secret',
    'hunter2-secret',
    'Bearer hunter2-secret',
    'eyJhbGciOi.eyJzdWIiOiIx.hunter2-secret',
    'user:hunter2-secret@api.example.com',
    'https://user:hunter2-secret@host:99999',
  ])('never prints the secret in %j', (text) => {
    const parsed = parseBaseUrl(text);
    expect(parsed).toHaveProperty('issue');
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});

describe('parseKey', () => {
  it.each([
    'sk-Live_123',
    '  sk-Live_123\r\n',
    '\uFEFFsk-Live_123',
    'Bearer sk-Live_123',
    'bearer   sk-Live_123',
    '"sk-Live_123"',
    "'Bearer sk-Live_123'",
    'Bearer "sk-Live_123"',
    'Authorization: Bearer sk-Live_123',
    '\u00a0sk-Live_123\t',
  ])('removes what surrounds the key in %j', (text) => {
    expect(parseKey(text)).toEqual({ value: 'sk-Live_123' });
  });

  it.each(['', ' \n', '\uFEFF', 'Bearer ', 'bearer', '""', "'Bearer '"])('reports %j as empty', (text) => {
    expect(parseKey(text)).toMatchObject({ issue: { expected: expect.stringContaining('empty') } });
  });

  it.each([
    'sk-hunter2 and more',
    'sk-hunter2\nsecond',
    'sk-hunter2\u2013x',
    'sk-hunter2\u0007x',
    'sk-hunter2\u200b',
    'sk-hunter2\u007fx',
    `sk-hunter2${'x'.repeat(5000)}`,
  ])('rejects %j and never prints it', (text) => {
    const parsed = parseKey(text);
    expect(parsed).toHaveProperty('issue');
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});
