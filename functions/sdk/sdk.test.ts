import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type ActionError,
  type CreateAnyResponse,
  createAction,
  createOnEvent,
  createSync,
  type NangoAction,
  type NangoSync,
  type ProxyConfiguration,
} from './sdk.ts';

const Ticket = z.object({ id: z.string(), subject: z.string(), open: z.boolean().default(true) });
const Agent = z.object({ id: z.string(), name: z.string().nullable() });

const tickets = createSync({
  description: 'Fetches tickets',
  version: '1.0.0',
  frequency: 'every hour',
  autoStart: true,
  models: { Ticket, Agent },
  metadata: z.object({ team: z.string() }),
  checkpoint: z.object({ cursor: z.string() }),
  exec: async (nango) => {
    const metadata = await nango.getMetadata();
    expectTypeOf(metadata).toEqualTypeOf<{ team: string }>();
    const checkpoint = await nango.getCheckpoint();
    expectTypeOf(checkpoint).toEqualTypeOf<{ cursor: string } | null>();
    await nango.saveCheckpoint({ cursor: 'a' });
    // @ts-expect-error: the field has another type
    await nango.saveCheckpoint({ cursor: 1 });
    await nango.batchSave([{ id: '1', subject: 'Broken', open: true }], 'Ticket');
    // @ts-expect-error: a field of the model is missing
    await nango.batchSave([{ id: '1' }], 'Ticket');
    // @ts-expect-error: the model is not declared
    await nango.batchSave([], 'Tickets');
    await nango.batchUpdate([{ id: '1', subject: 'Fixed' }], 'Ticket');
    await nango.batchDelete([{ id: '1' }], 'Agent');
    const known = await nango.getRecordsByIds([1, 2], 'Agent');
    expectTypeOf(known.get(1)?.name).toEqualTypeOf<string | null | undefined>();
    await saveAnything(nango);
    await logAnything(nango);
  },
  onWebhook: async (nango, payload) => {
    await nango.log(payload.type);
  },
});

/** Shared helpers use the untyped contexts. */
async function saveAnything(nango: NangoSync): Promise<void> {
  const config: ProxyConfiguration = { endpoint: '/tickets', retries: 3, params: { page: 1, state: undefined } };
  for await (const page of nango.paginate<{ id: number }>({ ...config, paginate: { type: 'link' } })) {
    await nango.batchSave(
      page.map((ticket) => ({ id: String(ticket.id), subject: 'x' })),
      'Ticket',
    );
  }
}

async function logAnything(nango: NangoAction | NangoSync): Promise<void> {
  const response = await nango.get({ endpoint: '/me' });
  await nango.log(response.data.name, { level: 'debug' });
}

const createTicket = createAction({
  description: 'Creates a ticket',
  input: z.object({ subject: z.string() }),
  output: z.object({ id: z.string() }),
  exec: async (nango, input) => {
    expectTypeOf(input).toEqualTypeOf<{ subject: string }>();
    if (!input.subject) throw new nango.ActionError({ message: 'subject is empty' });
    const checked = await nango.zodValidateInput({ zodSchema: Ticket, input });
    expectTypeOf(checked.data.open).toEqualTypeOf<boolean>();
    const created = await nango.post<{ id: number }>({ endpoint: '/tickets', data: input });
    const output = await nango.triggerAction('other', { a: 1 });
    await nango.triggerAction('github', 'connection', 'other', output);
    await logAnything(nango);
    return { id: String(created.data.id) };
  },
});

type LocalSync = Parameters<(typeof tickets)['exec']>[0];

describe('the definers', () => {
  it('return their options and the type', async () => {
    const validate = createOnEvent({
      description: 'Checks the account',
      event: 'validate-connection',
      exec: async (nango) => {
        await nango.getConnection();
      },
    });
    const definitions: CreateAnyResponse[] = [tickets, createTicket, validate];

    expect(definitions.map((definition) => definition.type)).toEqual(['sync', 'action', 'onEvent']);
    expect(tickets).toMatchObject({ frequency: 'every hour', autoStart: true, models: { Ticket, Agent } });
  });

  it('let a test call exec with a mock', async () => {
    class MockActionError extends Error {
      readonly payload: unknown;
      constructor(payload: unknown) {
        super();
        this.payload = payload;
      }
    }
    const mock = { ActionError: MockActionError } as unknown as NangoAction;

    const failure = createTicket.exec(mock, { subject: '' }) as Promise<unknown>;

    await expect(failure).rejects.toMatchObject({ payload: { message: 'subject is empty' } });
  });
});

describe('the types of the context', () => {
  it('follow the definition', () => {
    expectTypeOf<LocalSync>().toExtend<NangoSync>();
    expectTypeOf<NangoSync>().toExtend<NangoAction>();
    expectTypeOf<ActionError<{ code: string }>['payload']>().toEqualTypeOf<{ code: string }>();
    expectTypeOf<InstanceType<NangoAction['ActionError']>>().toExtend<Error>();
  });

  it('refuse a definition that misses a required option', () => {
    // @ts-expect-error: an action needs an output
    const definition = createAction({ description: 'x', input: z.void(), exec: async () => undefined });
    // @ts-expect-error: a record needs an id
    const noId = { models: { Ticket: z.object({ name: z.string() }) } } satisfies Pick<typeof tickets, 'models'>;

    expect([definition.type, Object.keys(noId)]).toEqual(['action', ['models']]);
  });
});
