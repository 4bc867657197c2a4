import { expect, it } from 'vitest';
import { bestFirst } from './best-first.ts';

const of = (...labels: string[]) => labels.map((label) => ({ label, value: label.toLowerCase().replaceAll(' ', '-') }));
const names = (options: { label: string }[]) => options.map(({ label }) => label);

it('offers what begins with the text first, then what has a word that does, then the others in their order', () => {
  expect(names(bestFirst(of('GitHub', 'StarHub', 'Data Hub', 'HubSpot'), 'hub'))).toEqual([
    'HubSpot',
    'Data Hub',
    'GitHub',
    'StarHub',
  ]);
});

it('finds by the value too, keeps the order without a text, and takes signs as they are', () => {
  expect(names(bestFirst([{ label: 'Sales', value: 'crm-main' }], 'crm'))).toEqual(['Sales']);
  expect(names(bestFirst(of('B', 'A'), ' '))).toEqual(['B', 'A']);
  expect(names(bestFirst(of('a (b)', 'a.b'), '(b'))).toEqual(['a (b)']);
});
