import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../src/map/discover/text-kinds.ts';

describe('a URL', () => {
  it.each([
    ['https://www.linkedin.com/in/maria-lopez', 'person', 'linkedin'],
    ['linkedin.com/in/maria-lopez/', 'person', 'linkedin'],
    ['https://www.linkedin.com/sales/lead/ACw,NAME', 'person', 'linkedin'],
    ['https://www.linkedin.com/company/northwind/', 'company', 'linkedin'],
    ['https://www.linkedin.com/posts/maria_robots-activity-71', 'post', 'linkedin'],
    ['https://www.linkedin.com/feed/update/urn:li:activity:71/', 'post', 'linkedin'],
    ['https://www.linkedin.com/jobs/view/39', 'page', 'linkedin'],
    ['https://x.com/marialopez', 'person', 'twitter'],
    ['https://twitter.com/marialopez/status/1590', 'post', 'twitter'],
    ['https://x.com/i/web/status/1590', 'post', 'twitter'],
    ['https://x.com/search?q=robots', 'page', 'twitter'],
    ['https://www.youtube.com/watch?v=abc', 'post', 'youtube'],
    ['https://youtu.be/dQw4w9WgXcQ', 'post', 'youtube'],
    ['https://www.youtube.com/@northwind', 'person', 'youtube'],
    ['https://www.instagram.com/p/Cabc/', 'post', 'instagram'],
    ['https://www.instagram.com/northwind/', 'person', 'instagram'],
    ['https://www.facebook.com/northwind/posts/1', 'post', 'facebook'],
    ['https://www.reddit.com/r/robots/comments/1/x/', 'post', 'reddit'],
    ['https://bsky.app/profile/maria.example', 'person', 'bluesky'],
    ['https://fedi.example/@maria', 'person', undefined],
    ['https://fedi.example/@maria/115301122334455667', 'post', undefined],
    ['https://northwind.example', 'site', undefined],
    ['northwind.example/', 'site', undefined],
    ['https://news.example/a/1', 'page', undefined],
    ['https://example.com/?id=1', 'page', undefined],
  ])('%s is of a %s', (url, kind, network) => {
    expect(pageOf(url)?.kind).toBe(kind);
    expect(pageOf(url)?.network).toBe(network);
  });

  it('is not a name, an address or a handle', () => {
    for (const text of ['Northwind', 'a@x.example', '@northwind', 'Node.js and more', '']) {
      expect(pageOf(text)?.kind).toBeUndefined();
    }
  });
});
