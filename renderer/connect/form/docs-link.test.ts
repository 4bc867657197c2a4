import { describe, expect, it } from 'vitest';
import type { OpenConnectSession } from '../../api/connect-api.ts';
import type { Chosen } from './chosen.ts';
import { guideUrl, sectionUrl } from './docs-link.ts';

const chosen = (docs: unknown): Chosen =>
  ({ integration: { unique_key: 'crm' }, provider: { docs_connect: docs }, fields: [] }) as unknown as Chosen;
const session = (docs?: string): OpenConnectSession =>
  (docs === undefined ? {} : { overrides: { crm: { docs_connect: docs } } }) as unknown as OpenConnectSession;

describe('the guide of a form', () => {
  it('is the provider’s, with the place of a field', () => {
    const docs = 'https://docs.test/crm#top';

    expect(guideUrl(session(), chosen(docs))).toBe(docs);
    expect(sectionUrl(session(), chosen(docs), '#step-1')).toBe('https://docs.test/crm#step-1');
    expect(sectionUrl(session(), chosen(docs), undefined)).toBeUndefined();
  });

  it('is the app’s own where it has one, which has no places', () => {
    const own = session('https://app.test/help');

    expect(guideUrl(own, chosen('https://docs.test/crm'))).toBe('https://app.test/help');
    expect(sectionUrl(own, chosen('https://docs.test/crm'), '#step-1')).toBeUndefined();
  });

  it('is never a script', () => {
    expect(guideUrl(session('javascript:alert(1)'), chosen('https://docs.test'))).toBeUndefined();
    expect(guideUrl(session(), chosen(undefined))).toBeUndefined();
  });
});
