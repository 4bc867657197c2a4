import type { Behaviour, Guest } from '../seams/simulated-workers.ts';

/** What the functions of `first-folder.ts` do, by the file of their bundle. */
export const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map([
  ['full-sim.cjs', full],
  ['changes-sim.cjs', changes],
  ['note-sim.cjs', note],
  ['check-sim.cjs', check],
]);

async function full(guest: Guest): Promise<void> {
  const from = ((await guest.call('checkpoint.get', {}))?.['page'] as number | undefined) ?? 0;
  for (let page = from; page < 3; page++) {
    const { items } = (await get(guest, '/items', { page: String(page) })) as { items: Array<{ id: string }> };
    await save(guest, 'Item', items);
    await guest.call('checkpoint.save', { checkpoint: { page: page + 1 } });
  }
  await guest.call('checkpoint.clear', {});
}

async function changes(guest: Guest): Promise<void> {
  if (guest.context.scriptType === 'webhook') {
    const { note: id } = guest.input as { note: string };
    return save(guest, 'Change', [{ id, text: 'hook' }]);
  }
  const since = ((await guest.call('checkpoint.get', {}))?.['since'] as number | undefined) ?? 0;
  const found = (await get(guest, '/changes', { since: String(since) })) as {
    saved: Array<{ id: string }>;
    deleted: string[];
    until: number;
  };
  await save(guest, 'Change', found.saved);
  if (found.deleted.length > 0) await guest.call('records.delete', { model: 'Change', ids: found.deleted });
  await guest.call('checkpoint.save', { checkpoint: { since: found.until } });
}

async function note(guest: Guest): Promise<unknown> {
  const { body } = await guest.call('http.request', {
    method: 'POST',
    endpoint: '/notes',
    body: { kind: 'json', text: JSON.stringify({ ...(guest.input as object), version: guest.version }) },
    expect: 'text',
  });
  return JSON.parse(String(body));
}

async function check(guest: Guest): Promise<void> {
  // As many functions do, so that a locked vault is noticed here.
  await guest.call('connection.get', {});
  const { isRefused } = (await get(guest, '/account', {})) as { isRefused: boolean };
  if (isRefused) throw new Error('this account is not welcome');
}

async function get(guest: Guest, endpoint: string, params: Record<string, string>): Promise<unknown> {
  const { body } = await guest.call('http.request', { method: 'GET', endpoint, params, expect: 'text' });
  return JSON.parse(String(body));
}

async function save(guest: Guest, model: string, records: Array<{ id: string; text?: string }>): Promise<void> {
  if (records.length === 0) return;
  await guest.call('records.save', {
    model,
    records: records.map((record) => ({ id: record.id, json: JSON.stringify(record) })),
  });
}
