import { describe, expect, it } from 'vitest';
import { portableFileName, portablePaths } from './portable-file-name.ts';

describe('a file name', () => {
  it('is taken by Windows, macOS and Linux, and still readable', () => {
    const names = ['Issue', 'Größe', 'a/b:c', 'CON', 'com1.x', '..', '-x', 'v1.2', ''];
    expect(names.map((name) => portableFileName(name, new Set()))).toEqual([
      ...['Issue', 'Größe', 'a%2fb%3ac', '_CON', '_com1.x', '_.._', '_-x', 'v1.2', ''],
    ]);
  });

  it('is different for names that differ only in case, and short for long ones', () => {
    const taken = new Set<string>();
    const [first, second] = [portableFileName('issue', taken), portableFileName('Issue', taken)];
    expect(first).toBe('issue');
    expect(second).toMatch(/^Issue~[0-9a-f]{8}$/);
    const long = ['x', 'y'].map((end) => portableFileName(`${'a'.repeat(300)}${end}`, taken));
    expect(new Set(long).size).toBe(2);
    expect(long.every((name) => name.length <= 120)).toBe(true);
  });

  it('stands below the folder of its group', () => {
    expect(
      portablePaths(
        [
          { schema: 'crm', name: 'Deal' },
          { schema: 'CRM', name: 'Deal' },
        ],
        '.parquet',
      ),
    ).toEqual(['crm/Deal.parquet', expect.stringMatching(/^CRM~[0-9a-f]{8}\/Deal\.parquet$/)]);
  });
});
