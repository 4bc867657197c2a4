import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { IntegrationListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { paths } from '../../lib/paths.ts';
import { useIntegrationDeletion } from './use-integration-deletion.tsx';

const DuplicateIntegration = lazy(async () => ({
  default: (await import('./DuplicateIntegration.tsx')).DuplicateIntegration,
}));

/** The actions on one integration of the list. */
export function IntegrationMenu({ integration, isActive }: { integration: IntegrationListItem; isActive: boolean }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`Actions of ${integration.displayName}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <IntegrationActions integration={integration} />
    </Menu>
  );
}

interface IntegrationActionsProps {
  integration: IntegrationListItem;
  /** Further items, at the end. */
  children?: ReactNode;
}

/** The content of the menu, and what it opens. */
export function IntegrationActions({ integration, children }: IntegrationActionsProps) {
  const env = useEnv();
  const [isDuplicating, setDuplicating] = useState(false);
  const deletion = useIntegrationDeletion(integration);
  const { key } = integration;
  return (
    <>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={paths.newConnection(env, key)}>
          Add connection
        </Menu.Item>
        <Menu.Item component={Link} to={paths.logs(env, { integrations: key })}>
          Open logs
        </Menu.Item>
        <Menu.Item onClick={() => setDuplicating(true)}>Duplicate…</Menu.Item>
        <Menu.Item component={Link} to={paths.export(env, { integrationKey: key })}>
          Export…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item data-tone="bad" onClick={deletion.ask}>
          Delete…
        </Menu.Item>
        {children && <Menu.Divider />}
        {children}
      </Menu.Dropdown>
      <Suspense fallback={null}>
        {isDuplicating && <DuplicateIntegration integration={integration} onClose={() => setDuplicating(false)} />}
      </Suspense>
      {deletion.dialog}
    </>
  );
}
