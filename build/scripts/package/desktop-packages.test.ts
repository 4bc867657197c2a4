import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { homepage, macSigning, updateFeed, windowsSigning } from './desktop-packages.mjs';

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

describe('signing for macOS', () => {
  const MAC = { platform: 'darwin', name: 'mac-arm64' };
  const feed = { HOMEPORT_UPDATE_URL: 'https://updates.example/' };

  it('is ad hoc without a certificate, with the entitlement that this needs, and offers no updates', () => {
    expect(macSigning(MAC, { CSC_LINK: '' })).toEqual([
      '-c.mac.identity=-',
      '-c.electronFuses.resetAdHocDarwinSignature=true',
      '-c.mac.entitlements=build/resources/entitlements.mac.adhoc.plist',
      '-c.mac.entitlementsInherit=build/resources/entitlements.mac.adhoc.plist',
    ]);
    expect(readFileSync('build/resources/entitlements.mac.adhoc.plist', 'utf8')).toContain(
      'disable-library-validation',
    );
    expect(updateFeed(MAC, feed)).toEqual([]);
  });

  it('is left to the certificate where there is one, and to nobody on other systems', () => {
    expect(macSigning(MAC, { CSC_LINK: 'cert.p12' })).toEqual([]);
    expect(macSigning(MAC, { CSC_NAME: 'Somebody' })).toEqual([]);
    expect(macSigning({ platform: 'linux' }, {})).toEqual([]);
    expect(updateFeed(MAC, { ...feed, CSC_LINK: 'cert.p12' })[1]).toBe(
      '-c.publish.url=https://updates.example/mac-arm64',
    );
  });

  it('keeps the validation of libraries in packages with a certificate', () => {
    for (const name of ['entitlements.mac.plist', 'entitlements.mac.inherit.plist'])
      expect(readFileSync(`build/resources/${name}`, 'utf8')).not.toContain('disable-library-validation');
  });
});

describe('the home page that deb and rpm name', () => {
  it('is the repository of the workflow, or none', () => {
    expect(homepage({ GITHUB_REPOSITORY: 'a/b', GITHUB_SERVER_URL: 'https://git.example' })).toBe(
      'https://git.example/a/b',
    );
    expect(homepage({})).toBe('https://homeport.invalid');
  });
});
