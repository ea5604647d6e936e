import { expect, test } from 'vitest';
import { Html, html } from '../../src/lib/html.ts';

test('texts are escaped, in content and in attributes', () => {
  const hostile = `<b a='1'>"&`;
  const escaped = '&lt;b a=&#39;1&#39;&gt;&quot;&amp;';
  expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('characters that cannot be seen are shown', () => {
  expect(html`${'a\u202eb\u0000c\nd'}`.text).toBe('a\\u202eb\\x00c\\nd');
});

test('markup, arrays, numbers and absent values are inserted as they are', () => {
  expect(html`${html`<i>${'<'}</i>`}${['<', html`<b>`, 2]}${undefined}${new Html('<hr>')}`.text).toBe(
    '<i>&lt;</i>&lt;<b>2<hr>',
  );
});
