import { describe, expect, it } from 'vitest';
import { destinationTitle, filterWords } from './destination-words.ts';

const names = new Map([['hubspot', 'HubSpot']]);

describe('filterWords', () => {
  it('names the events of a destination', () => {
    expect(filterWords({ types: [], integrations: [] }, names)).toBe('Everything');
    expect(filterWords({ types: ['auth', 'sync'], integrations: [] }, names)).toBe('auth and sync');
    expect(filterWords({ types: [], integrations: ['hubspot', 'gone'] }, names)).toBe('Everything of HubSpot and gone');
    expect(filterWords({ types: ['auth', 'sync', 'forward'], integrations: ['hubspot'] }, names)).toBe(
      'auth, sync, and forward of HubSpot',
    );
  });
});

describe('destinationTitle', () => {
  it('is the name, else the address without its scheme', () => {
    expect(destinationTitle({ name: 'Billing', url: 'https://a.example/x' })).toBe('Billing');
    expect(destinationTitle({ name: null, url: 'https://a.example/x' })).toBe('a.example/x');
  });
});
