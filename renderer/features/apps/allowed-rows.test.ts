import { describe, expect, it } from 'vitest';
import { allowedFieldsOf, allowedText, rowsOf, rowText } from './allowed-rows.ts';

const ROWS = [
  { integrationKey: 'github' },
  { integrationKey: 'slack', connectionId: 'me' },
  { tags: { team: 'a=b' } },
  { integrationKey: 'slack', tags: { team: 'blue' } },
  { tags: { team: 'blue', plan: 'pro' } },
];

describe('the connections of a key', () => {
  it('are shown in fields and read back unchanged', () => {
    const fields = allowedFieldsOf(ROWS);

    expect(fields).toMatchObject({ integrations: ['github'], tags: ['team=a=b'] });
    expect(fields.others).toHaveLength(2);
    expect(rowsOf(fields)).toEqual(ROWS);
  });

  it('leave out invalid tags', () => {
    expect(rowsOf({ integrations: [], connections: [], others: [], tags: ['team', '=blue', ' a = b '] })).toEqual([
      { tags: { a: 'b' } },
    ]);
  });

  it('have a text for lists', () => {
    expect(ROWS.map(rowText)).toEqual(['github', 'slack: me', 'team=a=b', 'slack, team=blue', 'team=blue, plan=pro']);
    expect([allowedText(null), allowedText([{ integrationKey: 'github' }]), allowedText(ROWS)]).toEqual([
      'All',
      'github',
      '5 rules',
    ]);
  });
});
