// @module-tag slow
import { afterAll, beforeAll, describe } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { type BlockCounts, PageReader } from './block-runner.ts';
import { pageNames, readPage } from './page-list.ts';

const LIMIT_MS = 240_000;
const counts: BlockCounts = {};
let server: StartedServer;

beforeAll(async () => {
  server = await startServer({ hasExamples: true });
});
afterAll(async () => {
  await server?.stop();
  process.stdout.write(
    `Blocks of the pages: ${Object.entries(counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ')}\n`,
  );
});

describe('every block of the documentation runs', () => {
  const pages = named(pageNames());
  nightlyEach(pages, 9, { timeout: LIMIT_MS })('%s', async (name) => {
    const reader = await PageReader.open(server, counts);
    try {
      await reader.read(readPage(name));
    } finally {
      await reader.close();
    }
  });
});
