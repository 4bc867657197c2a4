import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { dashboardTexts, textsOf } from './list-texts.ts';

const FILE = path.join(import.meta.dirname, 'texts.txt');

it('lists what a component says: elements with their gaps, attributes, templates, and no code', () => {
  const source = `
    import { thing } from 'some other thing';
    export const Card = ({ count }: { count: 'of the type' }) => (
      <Panel title="Needs attention" className="two classes" onKeyDown={(event) => event.key === 'Enter'}>
        Updated <b className={count ? 'mono cut' : undefined}>just now</b>, {count} new
        {count > 0 && notify(\`\${count} rows copied\`)}
      </Panel>
    );
    const look = EditorView.theme({ '.cm-line': { backgroundPosition: 'center top' } });`;
  expect(textsOf('Card.tsx', source)).toEqual([
    'Updated <>, {} new {}',
    'Needs attention',
    'just now',
    '{} rows copied',
  ]);
});

/** `UPDATE_GOLDEN=1` writes the list again: a change of a text is then reviewed as a diff of one file. */
it('has the texts that texts.txt lists', () => {
  const texts = dashboardTexts();
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(FILE, texts);
  expect(texts).toBe(readFileSync(FILE, 'utf8'));
});
