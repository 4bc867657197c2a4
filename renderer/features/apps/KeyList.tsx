import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useLimitsOf } from '../../api/agents/limits.ts';
import { useUpdateKey } from '../../api/apps/apps-mutations.ts';
import { apiKeysQueryOptions } from '../../api/apps/apps-queries.ts';
import type { KeyRow } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { type Column, wholeRows } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useCommands } from '../../components/use-commands.ts';
import { formatCount } from '../../lib/format-number.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { paths } from '../../lib/paths.ts';
import { KeyDialog } from './KeyForm.tsx';
import { keyColumns } from './key-columns.tsx';
import { NewKey } from './NewKey.tsx';
import { PairingRequests } from './PairingRequests.tsx';

/** Opened now and then; its fields are large. */
const LimitsDialog = lazy(async () => ({
  default: (await import('../../components/form/LimitsDialog.tsx')).LimitsDialog,
}));

const rowKey = (row: KeyRow): string => String(row.id);

/** The API keys, one for each app: what it may do, how much it is used, and the way to revoke it. */
export function KeyList({ tabs }: { tabs: ReactNode }) {
  const env = useEnv();
  const keys = useQuery(apiKeysQueryOptions(env));
  const url = useUrlState();
  const create = (): void => url.set({ new: 'key' });
  useCommands([{ ...KEY_MAP.create, label: 'New key', run: create }]);
  const columns = useMemo(
    (): Column<KeyRow>[] => [
      ...keyColumns(env),
      {
        id: 'actions',
        header: '',
        isAtEnd: true,
        width: 32,
        align: 'right',
        cell: (row, isActive) => <KeyMenu row={row} isActive={isActive} />,
      },
    ],
    [env],
  );
  return (
    <>
      <PageHeader
        title="Apps & keys"
        aside={<span className="soft">{keys.data ? formatCount(keys.data.length, 'key') : ''}</span>}
      >
        <Button leftSection={<IconPlus size={16} stroke={1.6} />} onClick={create}>
          New key
        </Button>
      </PageHeader>
      {tabs}
      <PairingRequests />
      <DataTable
        label="Keys"
        isMain
        columns={columns}
        source={wholeRows(keys)}
        rowKey={rowKey}
        rowMenu={(row, items) => <KeyActions row={row}>{items}</KeyActions>}
        // The default key always exists.
        empty={null}
      />
      <p className="faint small" style={{ padding: '0 var(--hp-gutter) 16px' }}>
        Give each app a key of its own: it can be narrowed and revoked without the others. An app can also ask for one,
        see <Link to={`/${env}/api`}>Ask the person for a key</Link> in the API reference.
      </p>
      {url.get('new') === 'key' && <NewKey onClose={() => url.set({ new: '' }, { replace: true })} />}
    </>
  );
}

function KeyMenu({ row, isActive }: { row: KeyRow; isActive: boolean }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={`Actions for ${row.name}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <KeyActions row={row} />
    </Menu>
  );
}

function KeyActions({ row, children }: { row: KeyRow; children?: ReactNode }) {
  const env = useEnv();
  const revoke = useChange('DELETE /api/v1/keys/:keyId', { ownError: true });
  const confirm = useConfirm();
  const [isEditing, setEditing] = useState(false);
  const [isLimiting, setLimiting] = useState(false);
  const askRevoke = (): void =>
    confirm.ask({
      title: `Revoke the key of ${row.name}?`,
      text: 'Calls with it are refused at once. This cannot be undone.',
      action: 'Revoke key',
      typed: row.name,
      run: () => revoke.mutateAsync({ params: { keyId: row.id } }),
    });
  return (
    <>
      <Menu.Dropdown>
        {!row.isDefault && <Menu.Item onClick={() => setEditing(true)}>Edit name and access</Menu.Item>}
        <Menu.Item onClick={() => setLimiting(true)}>Limits</Menu.Item>
        <Menu.Item component={Link} to={`${paths.apps(env, 'audit')}&apps=${encodeURIComponent(row.name)}`}>
          Show in the audit
        </Menu.Item>
        <Menu.Item data-tone="bad" onClick={askRevoke}>
          Revoke key
        </Menu.Item>
        {children && <Menu.Divider />}
        {children}
      </Menu.Dropdown>
      {isEditing && <EditKey row={row} onClose={() => setEditing(false)} />}
      {isLimiting && <KeyLimits row={row} onClose={() => setLimiting(false)} />}
      {confirm.dialog}
    </>
  );
}

/** How much the key may do. */
function KeyLimits({ row, onClose }: { row: KeyRow; onClose: () => void }) {
  const limits = useLimitsOf({ kind: 'key', id: String(row.id) });
  if (!limits) return null;
  const { change } = limits;
  return (
    <Suspense fallback={null}>
      <LimitsDialog
        title={`Limits of ${row.name}`}
        row={limits.row}
        isPending={change.isPending}
        error={change.error}
        onClose={onClose}
        onSave={(next) => change.mutate(next, { onSuccess: onClose })}
      />
    </Suspense>
  );
}

function EditKey({ row, onClose }: { row: KeyRow; onClose: () => void }) {
  const update = useUpdateKey(row.id);
  return (
    <KeyDialog
      title={`Edit ${row.name}`}
      draft={row}
      action="Save"
      isPending={update.isPending}
      error={update.error}
      onCancel={onClose}
      onSubmit={(draft) => update.mutate(draft, { onSuccess: onClose })}
    />
  );
}
