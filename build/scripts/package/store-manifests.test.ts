import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error a plain script without types: it has to run on any Node
import { fillManifest } from './store-manifests.mjs';

const STORES = new URL('../../resources/stores/', import.meta.url);
const template = (name: string): string => readFileSync(new URL(name, STORES), 'utf8');
const NAMES = ['mac-arm64.dmg', 'mac-x64.dmg', 'win-x64.exe', 'win-arm64.exe'];
const sumOf = (index: number): string => `${index}a`.repeat(32);
const RELEASE = {
  version: '1.2.3',
  download: 'https://example.com/v1.2.3',
  homepage: 'https://example.com',
  sums: NAMES.map((name, index) => `${sumOf(index)}  Homeport-1.2.3-${name}\n`).join(''),
};
const winget = (part: string): Record<string, unknown> =>
  parse(fillManifest(template(`winget/Homeport.Homeport${part}.yaml`), RELEASE));

describe('the Homebrew cask', () => {
  it('names version, files and sums of the release', () => {
    const cask: string = fillManifest(template('homeport.rb'), RELEASE);

    expect(cask).toContain('version "1.2.3"');
    expect(cask).toContain(`sha256 arm:   "${sumOf(0)}",\n         intel: "${sumOf(1)}"`);
    expect(cask).toContain('url "https://example.com/v1.2.3/Homeport-#{version}-mac-#{arch}.dmg"');
    expect(cask).not.toContain('{{');
    // Each block is closed.
    expect(cask.match(/\bdo$/gm)).toHaveLength(1);
    expect(cask.trimEnd()).toMatch(/\nend$/);
  });
});

describe('the winget manifests', () => {
  // The rules of the schema 1.6.0: required members and the form of their values.
  it.each([
    ['', 'version', ['PackageIdentifier', 'PackageVersion', 'DefaultLocale']],
    ['.locale.en-US', 'defaultLocale', ['PackageLocale', 'Publisher', 'PackageName', 'License', 'ShortDescription']],
    ['.installer', 'installer', ['PackageIdentifier', 'PackageVersion', 'Installers']],
  ])('have what the schema requires: %s', (part, type, required) => {
    const manifest = winget(part);

    expect(manifest).toMatchObject({ ManifestType: type, ManifestVersion: '1.6.0', PackageVersion: '1.2.3' });
    expect(manifest['PackageIdentifier']).toMatch(/^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/);
    expect(Object.keys(manifest)).toEqual(expect.arrayContaining(required));
  });

  it('name an installer and its sum for each processor', () => {
    expect(winget('.installer')['Installers']).toEqual(
      ['x64', 'arm64'].map((processor, index) => ({
        Architecture: processor,
        InstallerUrl: `https://example.com/v1.2.3/Homeport-1.2.3-win-${processor}.exe`,
        InstallerSha256: sumOf(index + 2).toUpperCase(),
      })),
    );
    expect(sumOf(2).toUpperCase()).toMatch(/^[A-F0-9]{64}$/);
  });

  it('are not made of a release without their files', () => {
    expect(() => fillManifest(template('homeport.rb'), { ...RELEASE, sums: '' })).toThrow(
      'Homeport-1.2.3-mac-arm64.dmg',
    );
  });
});
