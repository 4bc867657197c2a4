import { describe, expect, it } from 'vitest';
import { type CatalogueEntry, chooseProviders, countGroups } from './catalogue-choices.ts';

const entry = (name: string, displayName: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  name,
  displayName,
  authMode: 'OAUTH2',
  categories: ['crm'],
  searchTerms: [],
  source: 'built-in',
  templateCount: 0,
  worksWithoutApp: false,
  waysIn: ['own_app'],
  ...more,
});
const ENTRIES = [
  entry('acme', 'Acme Mail', { source: 'workspace', categories: [] }),
  entry('google-mail', 'Gmail', { searchTerms: ['mail'], categories: ['productivity'], templateCount: 4 }),
  entry('hubspot', 'HubSpot', { authMode: 'API_KEY', worksWithoutApp: true, waysIn: ['key'] }),
  entry('mailchimp', 'Mailchimp', {
    categories: ['marketing', 'productivity'],
    worksWithoutApp: true,
    waysIn: ['dynamic_registration'],
  }),
];
const NOTHING = { favourites: [], recent: [] };
const ALL = { search: '', group: '', authModes: [] };
const names = (filter: Partial<typeof ALL>, kept = NOTHING as { favourites: string[]; recent: string[] }) =>
  chooseProviders(ENTRIES, { ...ALL, ...filter }, kept).map(({ name }) => name);

describe('the catalogue', () => {
  it('puts names that begin with the search before words, and other names last', () => {
    expect(names({ search: ' Mail' })).toEqual(['mailchimp', 'acme', 'google-mail']);
    expect(names({ search: 'zzz' })).toEqual([]);
  });

  it('is in the order of names without a search, and of use among the recent', () => {
    expect(names({})).toEqual(['acme', 'google-mail', 'hubspot', 'mailchimp']);
    expect(names({ group: 'recent' }, { favourites: [], recent: ['mailchimp', 'acme'] })).toEqual([
      'mailchimp',
      'acme',
    ]);
  });

  it('is narrowed by group, category and auth type together', () => {
    expect(names({ group: 'in:productivity' })).toEqual(['google-mail', 'mailchimp']);
    expect(names({ group: 'templates' })).toEqual(['google-mail']);
    expect(names({ group: 'own' })).toEqual(['acme']);
    // Where the hub registers itself, nothing has to be fetched from the provider.
    expect(names({ group: 'now' })).toEqual(['mailchimp', 'hubspot']);
    expect(names({ group: 'in:crm', authModes: ['OAUTH2'] as never })).toEqual([]);
  });

  it('counts the providers of each group and leaves out empty ones', () => {
    expect(countGroups(ENTRIES, ENTRIES, { favourites: ['hubspot'], recent: [] })).toEqual([
      { id: '', label: 'All providers', count: 4 },
      { id: 'favourites', label: 'Favourites', count: 1 },
      { id: 'now', label: 'Works now, without an app', count: 2 },
      { id: 'templates', label: 'With templates', count: 1 },
      { id: 'own', label: 'Your workspace', count: 1 },
      { id: 'in:productivity', label: 'Productivity', count: 2 },
      { id: 'in:crm', label: 'CRM', count: 1 },
      { id: 'in:marketing', label: 'Marketing', count: 1 },
    ]);
  });
});
