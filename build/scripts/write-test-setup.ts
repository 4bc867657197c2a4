import { mkdirSync, writeFileSync } from 'node:fs';
import { buildTestSetup } from '../../functions/testing/build-test-setup.ts';

/** The mock classes for authors' tests; `homeport generate:tests` copies them. */
const folder = new URL('../../dist/testing/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('vitest-setup.js', folder), await buildTestSetup());
