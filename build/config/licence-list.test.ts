import { describe, expect, it } from 'vitest';
import { listLicences } from './licence-list.ts';

describe('listLicences', () => {
  it('lists the packages that ship with their dependencies, without development tools', () => {
    const licences = listLicences(new URL('../..', import.meta.url).pathname);
    const names = licences.map(({ name }) => name);

    expect(names).toEqual(expect.arrayContaining(['express', 'body-parser', 'react', '@mantine/core', 'electron']));
    for (const tool of ['vitest', 'vite', '@biomejs/biome', 'playwright-core']) expect(names).not.toContain(tool);
    expect(licences.find(({ name }) => name === 'react')).toMatchObject({ licence: 'MIT' });
    expect(licences.find(({ name }) => name === '@esbuild/win32-arm64')).toMatchObject({
      os: ['win32'],
      cpu: ['arm64'],
    });
  });
});
