import { describe, expect, it } from 'vitest';
import { quirkOf } from './provider-quirks.ts';

/** The 35 names of auth-and-connect.md 3.5, and the Salesforce family of 4.2. */
const NAMES = [
  'slack',
  'facebook',
  'instagram',
  'threads',
  'one-drive',
  'sharepoint-online',
  'microsoft-teams-bot',
  'microsoft-admin',
  'figma',
  'figjam',
  'tiktok-ads',
  'tiktok-accounts',
  'tiktok-personal',
  'stripe-app',
  'stripe-app-sandbox',
  'jobber',
  'braintree',
  'braintree-sandbox',
  'coros',
  'coros-sandbox',
  'bullhorn',
  'workday-oauth',
  'fanvue',
  'followupboss',
  'agiloft',
  'walmart',
  'mercury',
  'heygen',
  'posthog-oauth',
  'attio-mcp',
  'clover',
  'sentry-oauth',
  'absorb-lms',
  'revolut-business',
  'shopline-oauth',
  'salesforce',
  'salesforce-cc',
  'salesforce-sandbox',
  'salesforce-experience-cloud',
  'salesforce-jwt',
];

describe('differenceOf', () => {
  it.each(NAMES)('knows %s', (name) => {
    expect(Object.keys(quirkOf(name))).not.toEqual([]);
  });

  it.each(['github', 'hubspot', '', 'constructor', '__proto__', 'toString'])('knows nothing of %s', (name) => {
    expect(quirkOf(name)).toEqual({});
  });
});
