import {
  IconArrowsExchange,
  IconBolt,
  IconCalendarBolt,
  IconFunction,
  IconKey,
  IconRefresh,
  IconRocket,
  IconWebhook,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { OperationListItem } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';

/** Icons by the group of the operation. */
const ICONS: Readonly<Record<string, typeof IconKey>> = {
  auth: IconKey,
  sync: IconRefresh,
  webhook: IconWebhook,
  action: IconBolt,
  events: IconCalendarBolt,
  proxy: IconArrowsExchange,
  deploy: IconRocket,
  function: IconFunction,
};

/**
 * The logo of the provider of an operation. Commands and deployments name only an integration, whose provider is looked
 * up here; an operation without an integration has the icon of its group.
 */
export function OperationMark({ operation, size }: { operation: OperationListItem; size: number }) {
  const env = useEnv();
  const { integrationName, providerName } = operation;
  const isSought = providerName === null && integrationName !== null;
  const { data: integrations } = useQuery({ ...integrationChoicesQueryOptions(env), enabled: isSought });
  const provider = providerName ?? integrations?.find(({ key }) => key === integrationName)?.provider;
  if (provider !== undefined)
    return <ProviderLogo provider={provider} name={integrationName ?? provider} size={size} />;
  const Icon = ICONS[operation.operation.type] ?? IconFunction;
  return <Icon size={size} stroke={1.6} className="faint" aria-hidden />;
}
