import { empty } from '../contract/fields.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import { bodyText, created, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import type { Clock } from '../platform/lib/clock.ts';
import {
  destinationDeleted,
  destinationTestResponse,
  newRecordDestination,
  recordDestinationChange,
  recordDestinationParams,
  recordDestinationResponse,
  recordDestinationsResponse,
  replayBody,
} from './destinations.contract.ts';
import type { DestinationsService, RecordDestination } from './destinations.service.ts';
import { presentDestinationDetail, presentRecordDestination } from './record-destination.present.ts';

export interface DestinationsApiDeps {
  destinations: DestinationsService;
  clock: Clock;
  /** Origin of addresses that providers call, without a trailing slash. */
  publicBase: () => string;
  /** Origin of the dashboard for people on this computer. */
  dashboardUrl: () => string;
}

// A destination gets the records of every connection, so a key that may use only some is refused.
const SHARED = { access: 'key', limitedKeys: 'refused' } as const;
const READ = { ...SHARED, scopes: ['environment:destinations:read'] };
const WRITE = { ...SHARED, scopes: ['environment:destinations:write'] };
const BASE = '/records/destinations';
const ONE = `${BASE}/:destinationId`;
const AUDIT = { action: 'settings_changed', subject: () => 'record destinations' } as const;

/** Record destinations (http-api.md 11.4). */
export function destinationsApi(use: DestinationsApiDeps): PublicRoute[] {
  const detail = (found: RecordDestination) => ok({ data: presentDestinationDetail(found, use.clock.now()) });
  const refuseOwn = (url: string | undefined): void =>
    refuseOwnAddress([{ path: ['url'], url }], { local: use.dashboardUrl(), public: use.publicBase() });
  /** An act on one destination without a body. */
  const act =
    (work: (environmentId: number, id: string) => Promise<RecordDestination>): Handler =>
    async ({ environment, params, query }) => {
      validateQuery(empty, query);
      return detail(await work(environment.id, validateParams(recordDestinationParams, params).destinationId));
    };
  const one = { params: recordDestinationParams, query: empty, responses: { 200: recordDestinationResponse } };
  const errors = ['not_found'] as const;
  return [
    {
      ...READ,
      method: 'get',
      path: BASE,
      handler: async ({ environment, query }) => {
        validateQuery(empty, query);
        const found = await use.destinations.list(environment.id);
        return ok({ data: found.map((row) => presentRecordDestination(row, use.clock.now())) });
      },
      openapi: {
        id: 'listRecordDestinations',
        tag: 'Records',
        summary: 'List record destinations',
        details: 'Where synced records go on their own, with what waits and the last failure.',
        query: empty,
        responses: { 200: recordDestinationsResponse },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: BASE,
      handler: async ({ body, environment, query }) => {
        validateQuery(empty, query);
        const input = validateBody(newRecordDestination, body);
        if (input.kind === 'http') refuseOwn(input.url);
        const made = await use.destinations.create(environment.id, input);
        return created({ data: presentDestinationDetail(made, use.clock.now()) });
      },
      audit: { action: 'settings_changed', subject: (call) => `record destination ${bodyText('name')(call) ?? ''}` },
      openapi: {
        id: 'createRecordDestination',
        tag: 'Records',
        summary: 'Create a record destination',
        details:
          'Every change of the chosen records goes there from now on, beginning with the first one: to tables of a PostgreSQL database (exactly once), to NDJSON files of a folder, or by POST to an address. Empty lists of integrations, models and connections mean all.',
        query: empty,
        body: newRecordDestination,
        responses: { 201: recordDestinationResponse },
        errors: ['vault_locked'],
        example: {
          body: { name: 'Warehouse', kind: 'postgres', connection_string: 'postgres://me:secret@localhost:5432/data' },
        },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: `${BASE}/test`,
      handler: async ({ body, environment, query }) => {
        validateQuery(empty, query);
        const input = validateBody(newRecordDestination, body);
        if (input.kind === 'http') refuseOwn(input.url);
        const { isOk, message } = await use.destinations.testNew(environment.id, input);
        return ok({ data: { ok: isOk, message } });
      },
      openapi: {
        id: 'testNewRecordDestination',
        tag: 'Records',
        summary: 'Test a record destination before it is created',
        details: 'Connects, and writes no record. An address gets one POST with the type `test`.',
        query: empty,
        body: newRecordDestination,
        responses: { 200: destinationTestResponse },
        example: {
          body: { name: 'Warehouse', kind: 'postgres', connection_string: 'postgres://me:secret@localhost:5432/data' },
        },
      },
    },
    {
      ...READ,
      method: 'get',
      path: ONE,
      handler: act((environmentId, id) => use.destinations.get(environmentId, id)),
      openapi: {
        id: 'getRecordDestination',
        tag: 'Records',
        summary: 'Get a record destination',
        details: 'With the progress of each model.',
        ...one,
        errors,
        example: { path: `${BASE}/$DESTINATION` },
      },
    },
    {
      ...WRITE,
      method: 'patch',
      path: ONE,
      handler: async ({ body, environment, params, query }) => {
        validateQuery(empty, query);
        const { destinationId } = validateParams(recordDestinationParams, params);
        const changed = validateBody(recordDestinationChange, body);
        refuseOwn(changed.url);
        return detail(await use.destinations.change(environment.id, destinationId, changed));
      },
      audit: AUDIT,
      openapi: {
        id: 'changeRecordDestination',
        tag: 'Records',
        summary: 'Change a record destination',
        details:
          'Members that are left out stay. The kind stays. Another place gets everything from the beginning. It is tried at once.',
        ...one,
        body: recordDestinationChange,
        errors: ['not_found', 'vault_locked'],
        example: { path: `${BASE}/$DESTINATION`, body: { models: ['Issue'] } },
      },
    },
    {
      ...WRITE,
      method: 'delete',
      path: ONE,
      handler: async ({ environment, params, query }) => {
        validateQuery(empty, query);
        await use.destinations.remove(environment.id, validateParams(recordDestinationParams, params).destinationId);
        return ok({ success: true });
      },
      audit: AUDIT,
      openapi: {
        id: 'deleteRecordDestination',
        tag: 'Records',
        summary: 'Delete a record destination',
        details: 'What it delivered stays where it is.',
        params: recordDestinationParams,
        query: empty,
        responses: { 200: destinationDeleted },
        errors,
        example: { path: `${BASE}/$DESTINATION` },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: `${ONE}/test`,
      handler: async (call) => {
        validateQuery(empty, call.query);
        const { destinationId } = validateParams(recordDestinationParams, call.params);
        const { isOk, message } = await use.destinations.test(call.environment.id, destinationId);
        return ok({ data: { ok: isOk, message } });
      },
      openapi: {
        id: 'testRecordDestination',
        tag: 'Records',
        summary: 'Test a record destination',
        params: recordDestinationParams,
        query: empty,
        responses: { 200: destinationTestResponse },
        errors: ['not_found', 'vault_locked'],
        example: { path: `${BASE}/$DESTINATION/test` },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: `${ONE}/pause`,
      handler: act((environmentId, id) => use.destinations.pause(environmentId, id)),
      audit: AUDIT,
      openapi: {
        id: 'pauseRecordDestination',
        tag: 'Records',
        summary: 'Pause a record destination',
        details: 'Changes wait until it is resumed.',
        ...one,
        errors,
        example: { path: `${BASE}/$DESTINATION/pause` },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: `${ONE}/resume`,
      handler: act((environmentId, id) => use.destinations.resume(environmentId, id)),
      audit: AUDIT,
      openapi: {
        id: 'resumeRecordDestination',
        tag: 'Records',
        summary: 'Resume a record destination',
        ...one,
        errors,
        example: { path: `${BASE}/$DESTINATION/resume` },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: `${ONE}/retry`,
      handler: act((environmentId, id) => use.destinations.retry(environmentId, id)),
      openapi: {
        id: 'retryRecordDestination',
        tag: 'Records',
        summary: 'Try a record destination now',
        details: 'Whatever the wait after failures.',
        ...one,
        errors,
        example: { path: `${BASE}/$DESTINATION/retry` },
      },
    },
    {
      ...WRITE,
      method: 'post',
      path: `${ONE}/replay`,
      handler: async ({ body, environment, params, query }) => {
        validateQuery(empty, query);
        const { destinationId } = validateParams(recordDestinationParams, params);
        const { from } = validateBody(replayBody, body ?? {});
        const at = from === null ? null : Date.parse(from);
        return detail(await use.destinations.replay(environment.id, destinationId, at));
      },
      audit: AUDIT,
      openapi: {
        id: 'replayRecordDestination',
        tag: 'Records',
        summary: 'Deliver changes again',
        details:
          'All changes that were made at or after `from`, or all of them without it. Tables get the same rows again; files and addresses get the changes once more. From the beginning, tables that were dropped or changed by hand are made or filled anew.',
        ...one,
        body: replayBody,
        errors,
        example: { path: `${BASE}/$DESTINATION/replay`, body: { from: '2026-01-31T00:00:00Z' } },
      },
    },
  ];
}
