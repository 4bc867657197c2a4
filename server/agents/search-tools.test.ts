import { describe, expect, it } from 'vitest';
import { indexTools, searchTools } from './search-tools.ts';
import { type SessionTool, toolNames } from './session-tools.ts';

function toolOf(integrationKey: string, action: string, description = '', fields: string[] = []): SessionTool {
  return {
    name: toolNames([{ integrationKey, action }])[0] ?? '',
    integrationKey,
    provider: integrationKey,
    action,
    isPinned: false,
    isRemote: false,
    tool: {
      name: action,
      description,
      risk: 'read',
      fingerprint: '',
      takesInput: true,
      inputSchema: { type: 'object', properties: Object.fromEntries(fields.map((name) => [name, {}])) },
    },
  };
}

const TOOLS = [
  toolOf('gmail', 'send-email', 'Sends an e-mail to one or more recipients', ['to', 'subject', 'body']),
  toolOf('gmail', 'list-messages', 'Lists messages of the mailbox', ['query', 'label']),
  toolOf('slack', 'list-messages', 'Lists messages of a channel', ['channel']),
  toolOf('slack', 'postMessage', 'Posts a message to a channel', ['channel', 'text']),
  toolOf('linear', 'create-issue', 'Creates an issue in a team', ['title', 'teamId', 'assigneeId']),
  toolOf('linear', 'fetch-issues', 'Fetches issues', ['updatedAfter']),
  toolOf('calendar', 'delete-event', 'Removes an event', ['eventId']),
  toolOf('invoices', 'list-invoices', 'Open and paid invoices of a customer', ['customerId', 'status']),
];
const index = indexTools(TOOLS);
const first = (query: string, goal?: string) => searchTools(index, query, goal).matches[0]?.name;

describe('searchTools', () => {
  it.each([
    ['send email', 'gmail__send-email'],
    ['sending emails', 'gmail__send-email'],
    ['post a message in slack', 'slack__postMessage'],
    ['create issue', 'linear__create-issue'],
    ['add a new issue', 'linear__create-issue'],
    ['search issues', 'linear__fetch-issues'],
    ['remove event', 'calendar__delete-event'],
    ['invoices', 'invoices__list-invoices'],
    ['invoice by customer', 'invoices__list-invoices'],
    ['assignee', 'linear__create-issue'],
    ['gmail list messages', 'gmail__list-messages'],
    ['slack list messages', 'slack__list-messages'],
  ])('finds for "%s" %s', (query, name) => {
    expect(first(query)).toBe(name);
  });

  it('lets the goal decide between tools that fit equally well', () => {
    expect(first('list messages', 'read what was said in the slack channel')).toBe('slack__list-messages');
    expect(first('list messages', 'clean up my gmail mailbox')).toBe('gmail__list-messages');
  });

  it('gives leads apart from what fits, and nothing for words that no tool has', () => {
    const { matches, related } = searchTools(index, 'create invoice');
    expect([...matches, ...related].map(({ name }) => name)).toContain('linear__create-issue');
    expect(searchTools(index, 'quantum teleportation')).toEqual({ matches: [], related: [] });
  });

  it('answers the same in any order of the tools', () => {
    const turned = indexTools([...TOOLS].reverse());
    for (const query of ['list messages', 'issue', 'message', 'find'])
      expect(searchTools(turned, query)).toEqual(searchTools(index, query));
  });

  it('searches 1,000 tools in at most 20 ms, and indexes them in a moment', () => {
    const verbs = ['list', 'create', 'update', 'delete', 'search', 'archive', 'send', 'assign', 'export', 'merge'];
    const nouns = ['issue', 'invoice', 'message', 'event', 'contact', 'deal', 'file', 'folder', 'user', 'team'];
    const many = Array.from({ length: 1000 }, (_, at) =>
      toolOf(
        `app-${at % 10}`,
        `${verbs[at % 10]}-${nouns[Math.floor(at / 10) % 10]}-${Math.floor(at / 100)}`,
        'Does something with the things of the account that the person has connected',
        ['id', 'name', 'limit'],
      ),
    );
    const large = indexTools(many);
    searchTools(large, 'warm up');
    const before = performance.now();
    for (let round = 0; round < 5; round += 1)
      searchTools(large, 'create an invoice for the contact', 'bill the customer');

    expect((performance.now() - before) / 5).toBeLessThan(20);
  });
});

describe('toolNames', () => {
  it('keeps hyphens, replaces other characters, and gives a hash to what is too long or the same', () => {
    const long = 'x'.repeat(80);
    const names = toolNames([
      { integrationKey: 'my app:1', action: 'do-it' },
      { integrationKey: 'a', action: long },
      { integrationKey: 'a', action: `${long}y` },
      { integrationKey: 'a', action: 'b__c' },
      { integrationKey: 'a__b', action: 'c' },
    ]);

    expect(names[0]).toBe('my_app_1__do-it');
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names[1]).toMatch(/^a__x{52}_[0-9a-f]{8}$/);
    expect(names[3]).toMatch(/^a__b__c_[0-9a-f]{8}$/);
  });
});
