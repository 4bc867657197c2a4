import { mkdirSync, writeFileSync } from 'node:fs';
import { buildTestSetup } from '../../functions/testing/build-test-setup.ts';

/** Mock classes for authors' tests, which `homeport generate:tests` copies. */
const folder = new URL('../../dist/testing/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('vitest-setup.js', folder), await buildTestSetup());
