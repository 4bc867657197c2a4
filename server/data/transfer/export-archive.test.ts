import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { isArchive, openArchive, packArchive } from './export-archive.ts';
import { type ExportFile, exportFile } from './export-file.ts';

const FILE: ExportFile = {
  format: 'homeport-export',
  version: 1,
  exported_at: '2026-01-02T03:04:05.000Z',
  environment: 'dev',
  settings: { webhook: { primary_url: 'http://localhost:1/' } },
  integrations: [],
  connections: [],
  webhook_destinations: [],
  saved_queries: [],
  record_destinations: [],
  functions: { 'shop/actions/one.ts': 'export default 1; // ü\n', 'providers.yaml': 'a: {}\n' },
  left_out: ['variables'],
};

/** The archive with changed files. */
async function changed(change: (files: Record<string, Uint8Array>) => void): Promise<Uint8Array> {
  const files = unzipSync(await packArchive(FILE));
  change(files);
  return zipSync(files);
}

describe('an archive of an export', () => {
  it('is a ZIP file with the functions as files, and opens to the packed content', async () => {
    const bytes = await packArchive(FILE);

    expect(isArchive(bytes)).toBe(true);
    const files = unzipSync(bytes);
    expect(Object.keys(files).toSorted()).toEqual([
      'checksums.json',
      'export.json',
      'functions/providers.yaml',
      'functions/shop/actions/one.ts',
    ]);
    expect(strFromU8(files['functions/shop/actions/one.ts'] as Uint8Array)).toBe(FILE.functions['shop/actions/one.ts']);
    expect(exportFile.parse(openArchive(bytes))).toEqual(FILE);
  });

  it('may be packed again by another program, with its folders', async () => {
    const bytes = await changed((files) => {
      files['functions/'] = new Uint8Array();
    });

    expect(exportFile.parse(openArchive(bytes))).toEqual(FILE);
  });

  it.each([
    [
      'a changed file',
      { 'functions/providers.yaml': strToU8('b: {}') },
      'functions/providers.yaml has another checksum',
    ],
    [
      'a further file',
      { 'functions/shop/syncs/more.ts': strToU8('') },
      'functions/shop/syncs/more.ts has another checksum',
    ],
    ['a missing file', { 'functions/providers.yaml': undefined }, 'functions/providers.yaml is missing'],
    ['no checksums', { 'checksums.json': undefined }, 'it has no checksums.json'],
    ['checksums that cannot be read', { 'checksums.json': strToU8('{') }, 'checksums.json cannot be read'],
    ['checksums of nothing', { 'checksums.json': strToU8('{}') }, 'names no files'],
  ])('is refused with %s', async (_, replaced, message) => {
    const bytes = await changed((files) => {
      for (const [path, data] of Object.entries(replaced)) {
        if (data) files[path] = data;
        else delete files[path];
      }
    });

    expect(() => openArchive(bytes)).toThrow(message);
  });

  it('is refused when it is cut off, is not an archive, or claims to inflate beyond the limit', async () => {
    const bytes = await packArchive(FILE);
    const large = Uint8Array.from(bytes);
    const at = large.findIndex((_, index) => strFromU8(large.subarray(index, index + 4), true) === 'PK\x01\x02');
    // The inflated size of the first entry in the central directory.
    new DataView(large.buffer).setUint32(at + 24, 0xf0000000, true);

    expect(() => openArchive(bytes.subarray(0, bytes.length - 30))).toThrow('damaged or not a ZIP file');
    expect(() => openArchive(strToU8('{"format":"homeport-export"}'))).toThrow('damaged or not a ZIP file');
    expect(() => openArchive(large)).toThrow('too large');
    expect(isArchive(strToU8('{"a":1}'))).toBe(false);
  });
});
