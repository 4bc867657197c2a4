import { expect, it } from 'vitest';
import type { AgentOffer } from '../../api/contract.ts';
import { firstChoice, grantOf } from './sign-in-choice.ts';

const tool = (name: string, risk: 'read' | 'write') => ({ name, description: '', risk });
const offered = (integrationKey: string, ...ids: string[]): AgentOffer => ({
  integrationKey,
  displayName: integrationKey,
  provider: 'practice',
  connections: ids.map((connectionId) => ({ connectionId, displayName: null })),
  tools: [tool('list', 'read'), tool('send', 'write')],
});

it('chooses nothing for the person, unless there is only one connection', () => {
  expect(firstChoice([offered('mail', 'a')])['mail']).toMatchObject({ isChosen: true, connectionId: 'a' });
  expect(firstChoice([offered('mail', 'a', 'b')])['mail']?.isChosen).toBe(false);
  expect(firstChoice([offered('mail', 'a'), offered('notes', 'b')])['notes']?.isChosen).toBe(false);
});

it('gives what was chosen, and nothing without a choice', () => {
  const all = [offered('mail', 'a'), offered('notes', 'b', 'c')];
  const none = firstChoice(all);
  expect(grantOf(all, none, '1d')).toBeUndefined();
  const mail = { isChosen: true, connectionId: 'a', tools: 'read', named: [] } as const;
  const notes = { isChosen: true, connectionId: 'c', tools: 'some', named: ['send'] } as const;
  expect(grantOf(all, { ...none, mail, notes }, '7d')).toEqual({
    connections: [
      { integrationKey: 'mail', connectionId: 'a', tools: ['list'] },
      { integrationKey: 'notes', connectionId: 'c', tools: ['send'] },
    ],
    expiresIn: '7d',
  });
  expect(grantOf(all, { ...none, mail: { ...mail, tools: 'all' } }, '1h')?.connections[0]?.tools).toBeNull();
});
