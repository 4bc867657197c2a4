import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOperations } from '../../../server/integrations/descriptions/operations.ts';
import { planFunction } from '../../../server/integrations/descriptions/plan-function.ts';
import { proposeEntry } from '../../../server/integrations/descriptions/propose-entry.ts';
import { type Description, readDescription } from '../../../server/integrations/descriptions/read-description.ts';
import { writeFunction } from '../../../server/integrations/descriptions/write-function.ts';

/** Descriptions that packages ship, and the operations whose functions are shown whole. */
const DESCRIPTIONS: Array<{ name: string; file: string; written: string[] }> = [
  { name: 'small', file: '@readme/oas-examples/3.0/yaml/petstore.yaml', written: ['GET /pet/findByStatus'] },
  { name: 'large-with-cursors', file: '@gitbook/api/spec/openapi.json', written: ['GET /orgs', 'PATCH /users/{userId}'] },
  { name: 'oauth2-flows', file: '@figma/rest-api-spec/openapi/openapi.yaml', written: ['GET /v1/files/{file_key}/comments'] },
  { name: 'version-3.1', file: '@readme/oas-examples/3.1/json/train-travel.json', written: ['GET /stations'] },
];

const textOf = (file: string): string => readFileSync(join('node_modules', file), 'utf8');
const planned = (description: Description): string[] =>
  listOperations(description).map((operation) => {
    const plan = planFunction(description, operation);
    const facts = plan.kind === 'sync' ? ` list=${plan.list || '(whole)'} id=${plan.idField ?? '?'}` : '';
    const paging = plan.kind === 'sync' && plan.paging ? ` paging=${plan.paging['type']}` : '';
    return `${operation.method} ${operation.path} -> ${plan.kind} ${plan.name}${facts}${paging}`;
  });

/** `npm run golden:update` rewrites the files; read the difference before you commit it. */
describe('a public description', () => {
  it.each(DESCRIPTIONS)('$name becomes the expected entry and functions', async ({ file, name, written }) => {
    const description = await readDescription({ location: file, text: textOf(file) });
    const { choices, open, text } = await proposeEntry(description, { today: '2026-01-31' });

    const report = [
      text.trimEnd(),
      '',
      '# Ways to authorize',
      ...choices.map((one) => `${one.isChosen ? '*' : '-'} ${one.name}: ${one.label}`),
      '',
      '# Not told',
      ...open.map(({ keyPath, reason }) => `${keyPath}: ${reason}`),
      '',
      '# Functions',
      ...planned(description),
      ...written.flatMap((operation) => {
        const { fixture, notes, source } = writeFunction(description, { operation });
        return ['', `# ${operation}`, ...notes, source, JSON.stringify(fixture, null, 2)];
      }),
      '',
    ].join('\n');
    await expect(report).toMatchFileSnapshot(join(import.meta.dirname, `${name}.txt`));
  });

  it('of 5 MB is read whole', async () => {
    const one = JSON.parse(textOf('@gitbook/api/spec/openapi.json')) as { paths: Record<string, unknown> };
    const more = ['', '/2', '/3', '/4', '/5', '/6'].flatMap((start) =>
      Object.entries(one.paths).map(([path, item]) => [`${start}${path}`, item] as const),
    );
    const text = JSON.stringify({ ...one, paths: Object.fromEntries(more) }, null, 2);
    expect(text.length).toBeGreaterThan(5_000_000);
    const description = await readDescription({ location: 'large.json', text });

    const plans = planned(description);
    expect(plans.length).toBeGreaterThan(1_400);
    expect(new Set(plans).size).toBe(plans.length);
  });

  it('that is cut off is refused with the reason', async () => {
    const text = textOf('@gitbook/api/spec/openapi.json');
    const read = readDescription({ location: 'cut.json', text: text.slice(0, text.length / 2) });
    await expect(read).rejects.toThrow(/^The API description cannot be used\. /);
  });
});
