import { describe, expect, it } from 'vitest';
import { splitConfig } from './secret-config.ts';

const field = { type: 'string', title: 'F', description: 'F' } as const;
const entry = {
  name: 'acme',
  source: 'builtin',
  display_name: 'Acme',
  auth_mode: 'APP',
  connection_config: { hidden: { ...field, secret: true }, region: field },
} as const;

describe('splitConfig', () => {
  it('separates fields that are secret by the catalogue or always from the rest', () => {
    const always = { userCredentials: { access_token: 't' }, jwtToken: 'j' };

    expect(splitConfig({ region: 'eu', hidden: 'h', other: 1, ...always }, entry)).toEqual({
      readable: { region: 'eu', other: 1 },
      secret: { hidden: 'h', ...always },
    });
    expect(splitConfig({ hidden: 'h', ...always }, undefined)).toEqual({ readable: { hidden: 'h' }, secret: always });
  });
});
