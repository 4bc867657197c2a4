import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { windowsSigning } from './desktop-packages.mjs';

const WINDOWS = { platform: 'win32' };
const ACCOUNT = {
  HOMEPORT_AZURE_ENDPOINT: 'https://weu.codesigning.azure.net',
  HOMEPORT_AZURE_ACCOUNT: 'homeport',
  HOMEPORT_AZURE_PROFILE: 'public',
  HOMEPORT_AZURE_PUBLISHER: 'Homeport contributors',
};

describe('signing for Windows', () => {
  it('tells electron-builder the account', () => {
    expect(windowsSigning(WINDOWS, ACCOUNT)).toEqual([
      '-c.win.azureSignOptions.endpoint=https://weu.codesigning.azure.net',
      '-c.win.azureSignOptions.codeSigningAccountName=homeport',
      '-c.win.azureSignOptions.certificateProfileName=public',
      '-c.win.azureSignOptions.publisherName=Homeport contributors',
    ]);
  });

  it('names what is missing instead of leaving the package unsigned', () => {
    expect(() => windowsSigning(WINDOWS, { ...ACCOUNT, HOMEPORT_AZURE_PROFILE: '' })).toThrow('HOMEPORT_AZURE_PROFILE');
  });

  it('is left out without an account, and on other systems', () => {
    expect(windowsSigning(WINDOWS, {})).toEqual([]);
    expect(windowsSigning({ platform: 'linux' }, ACCOUNT)).toEqual([]);
  });
});
