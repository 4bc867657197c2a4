import { describe, expect, it } from 'vitest';
import { statusPageUrl } from './status-page.ts';

const htmlOf = (url: string): string => decodeURIComponent(url.slice(url.indexOf(',') + 1));

describe('the status page', () => {
  it('shows what the server said as text, never as markup', () => {
    const html = htmlOf(statusPageUrl({ name: 'locked', message: '<img src=x> & "quotes"' }));

    expect(html).toContain('&lt;img src=x> &amp; &quot;quotes&quot;');
    expect(html).not.toContain('<img');
  });

  it('offers a retry only when no automatic one follows', () => {
    expect(htmlOf(statusPageUrl({ name: 'failed', code: 'port_in_use', message: 'Taken.' }))).toContain(
      'homeport://retry',
    );
    expect(htmlOf(statusPageUrl({ name: 'starting' }))).not.toContain('homeport://retry');
  });

  it('runs no script', () => {
    expect(htmlOf(statusPageUrl({ name: 'starting' }))).toContain("default-src 'none'");
  });
});
