import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildCatalogFrom } from '../../../catalog/builtin-catalog.ts';
import { POST_CONNECTION_STEPS } from './post-connection-steps.ts';
import { PRE_DELETION_STEPS, STEP_NAMES } from './provider-steps.ts';
import { VERIFICATION_STEPS } from './verification-steps.ts';

const catalog = await buildCatalogFrom(fileURLToPath(new URL('../../../catalog/providers', import.meta.url)));

describe('the steps of providers', () => {
  it.each([
    ['post_connection_script', POST_CONNECTION_STEPS],
    ['pre_connection_deletion_script', PRE_DELETION_STEPS],
    ['credentials_verification_script', VERIFICATION_STEPS],
  ] as const)('hold every %s of the catalogue', (key, steps) => {
    const named = [...catalog.values()].flatMap((entry) => entry[key] ?? []);

    expect(named.filter((name) => !steps.has(name))).toEqual([]);
  });

  it('are read from a catalogue that names some', () => {
    const scripts = [...catalog.values()].flatMap(({ post_connection_script: name }) => name ?? []);

    expect(scripts).toContain('hubspotPostConnection');
  });

  it('have names that say when they run, each once', () => {
    const endings = [...POST_CONNECTION_STEPS.keys()].every((name) => /^[a-z]\w+PostConnection$/.test(name));
    expect(endings).toBe(true);
    expect([...PRE_DELETION_STEPS.keys()].every((name) => name.endsWith('PreConnectionDeletion'))).toBe(true);
    expect([...VERIFICATION_STEPS.keys()].every((name) => name.endsWith('CredentialsVerification'))).toBe(true);
    expect(STEP_NAMES.size).toBe(POST_CONNECTION_STEPS.size + PRE_DELETION_STEPS.size + VERIFICATION_STEPS.size);
  });
});
