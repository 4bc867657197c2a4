import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { DescribedFunction, OfferedOperation } from '../contract.ts';
import { type RequestInput, type ResponseOf, request } from '../request.ts';
import { inEnvironment, routeKey, routeQuery } from '../route-query.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import { untilDeployed } from './functions-mutations.ts';

const ADDRESS = 'GET /api/v1/integrations/:integrationKey/api-description';
const PREVIEW = 'POST /api/v1/integrations/:integrationKey/described-functions/preview';
const WRITE = 'POST /api/v1/integrations/:integrationKey/described-functions';

export type WantedOperation = Pick<OfferedOperation, 'operation' | 'kind' | 'name'>;

/** A function that was written, with the result of its recorded run; null when it has none or is not live. */
export interface WrittenDescribed extends DescribedFunction {
  outcome: string | null;
}

/** Where the API description of an integration is, as far as it is known. */
export const descriptionAddressQueryOptions = (env: string, integrationKey: string) =>
  routeQuery(
    env,
    ADDRESS,
    { params: { integrationKey } },
    { enabled: integrationKey !== '', select: ({ address }) => address ?? '' },
  );

/** The functions that chosen operations would become. The last answer stays while names are typed. */
export const describedPreviewQueryOptions = (
  env: string,
  integrationKey: string,
  { address, hash, operations }: { address: string | undefined; hash: string; operations: WantedOperation[] },
) =>
  queryOptions({
    queryKey: routeKey(env, ADDRESS, { params: { integrationKey }, query: { hash, operations } }, PREVIEW),
    queryFn: ({ signal }): Promise<ResponseOf<typeof PREVIEW>> =>
      request(
        PREVIEW,
        inEnvironment(env, PREVIEW, {
          params: { integrationKey },
          body: { hash, operations, ...(address !== undefined && { address }) },
        }),
        signal,
      ),
    enabled: operations.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });

/** Writes functions for operations, waits until the hub has read their files, and replays their recorded runs. */
export function useWriteDescribed(integrationKey: string) {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (body: RequestInput<typeof WRITE>['body']) => {
      const { functions, types } = await send(WRITE, { params: { integrationKey }, body });
      const written: WrittenDescribed[] = [];
      for (const one of functions) {
        const ref = { integrationKey, type: one.type, name: one.name };
        const isLive = await untilDeployed(client, env, ref);
        const results =
          isLive && one.recording !== null
            ? await send('POST /api/v1/functions/:integrationKey/:type/:name/tests/run', { params: ref, body: {} })
            : undefined;
        written.push({ ...one, outcome: results?.data[0]?.outcome ?? null });
      }
      return { functions: written, types };
    },
  });
}
