import { useQuery } from '@tanstack/react-query';
import { useEnv } from '../use-env.ts';
import { integrationChoicesQueryOptions } from './integrations-queries.ts';

/** The display name of an integration that rows name by its key; the key while it is read, and when the integration is gone. */
export function IntegrationName({ integrationKey }: { integrationKey: string }) {
  const { data } = useQuery(integrationChoicesQueryOptions(useEnv()));
  return data?.find(({ key }) => key === integrationKey)?.displayName ?? integrationKey;
}
