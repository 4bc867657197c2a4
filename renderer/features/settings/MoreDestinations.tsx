import { ActionIcon, Button, Menu, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ShownDestination } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { OWN_ERROR, useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import {
  useDeleteDestination,
  useTestDestination,
  useUpdateDestination,
} from '../../api/webhooks/webhooks-mutations.ts';
import { webhookDestinationsQueryOptions } from '../../api/webhooks/webhooks-queries.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { notifyDeleted } from '../../components/notice/notify-undoable.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Section } from '../../components/page/Section.tsx';
import { DestinationDialog } from './DestinationDialog.tsx';
import { destinationTitle, filterWords } from './destination-words.ts';
import classes from './MoreDestinations.module.css';
import { SentResult } from './TestEvent.tsx';

const EMPTY = { name: null, url: '', isEnabled: true, types: [], integrations: [] };

/** The destinations beside the primary and the secondary URL. Changes here are saved at once. */
export function MoreDestinations() {
  const env = useEnv();
  const { data: rows, error, refetch } = useQuery(webhookDestinationsQueryOptions(env));
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data;
  const create = useChange('POST /api/v1/webhook-destinations', { ownError: true });
  const [isAdding, adding] = useDisclosure();
  const names = new Map(integrations?.map(({ key, displayName }) => [key, displayName ?? key]));
  return (
    <Section
      title="More destinations"
      aside={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} stroke={1.6} aria-hidden />}
          onClick={adding.open}
        >
          Add destination
        </Button>
      }
    >
      <p className="soft pb-12">
        Further addresses that get webhooks, all of them or only some. Each has its own retries and the same signature.
        The switches above apply to them too.
      </p>
      {error && !rows && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {rows?.length === 0 && (
        <p className="faint">None yet. Add one for a second app, or for one that needs only some of the events.</p>
      )}
      {rows && rows.length > 0 && (
        <ul className="line-above" aria-label="More destinations">
          {rows.map((row) => (
            <Destination key={row.id} row={row} words={filterWords(row, names)} />
          ))}
        </ul>
      )}
      {isAdding && (
        <DestinationDialog
          title="Add a destination"
          action="Add destination"
          draft={EMPTY}
          isPending={create.isPending}
          error={create.error}
          onCancel={() => {
            create.reset();
            adding.close();
          }}
          onSubmit={(draft) =>
            create.mutate(
              { body: draft },
              {
                onSuccess: (made) => {
                  create.reset();
                  adding.close();
                  notifyDone(`${destinationTitle(made)} added`);
                },
              },
            )
          }
        />
      )}
    </Section>
  );
}

function Destination({ row, words }: { row: ShownDestination; words: string }) {
  const title = destinationTitle(row);
  const update = useUpdateDestination(row.id, OWN_ERROR);
  const toggle = useUpdateDestination(row.id);
  const remove = useDeleteDestination(row.id);
  const test = useTestDestination(row.id);
  const confirm = useConfirm();
  const [isEditing, editing] = useDisclosure();
  const isEnabled = (toggle.isPending ? toggle.variables.isEnabled : undefined) ?? row.isEnabled;
  const askDelete = (): void =>
    confirm.ask({
      title: `Delete ${title}?`,
      text: 'It gets no more webhooks. Waiting ones end as failed; delivered ones stay in the list of webhooks.',
      action: 'Delete destination',
      run: async () => {
        notifyDeleted(title, await remove.mutateAsync());
      },
    });
  return (
    <li className={`pt-8 pb-8 line-below grid middle ${classes['row']}`} data-off={!row.isEnabled || undefined}>
      <div>
        <p
          className={row.name === null ? `mono name breaks ${classes['title']}` : `name breaks ${classes['title']}`}
          title={row.url}
        >
          {title}
        </p>
        <p className={`soft small flex wrap ${classes['facts']}`}>
          {row.name !== null && (
            <code className="cut" style={{ maxWidth: '100%' }} title={row.url}>
              {row.url.replace(/^https?:\/\//, '')}
            </code>
          )}
          <span className="breaks">{words}</span>
        </p>
      </div>
      <Switch
        aria-label={`Send webhooks to ${title}`}
        checked={isEnabled}
        onChange={(event) => toggle.mutate({ isEnabled: event.currentTarget.checked })}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size={24} aria-label={`Actions for ${title}`} loading={test.isPending}>
            <IconDots size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={editing.open}>Edit</Menu.Item>
          <Menu.Item onClick={() => test.mutate(row.types[0] ?? 'sync')}>Send a test event</Menu.Item>
          <Menu.Item data-tone="bad" onClick={askDelete}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <div className={`row wrap soft small ${classes['result']}`} role="status">
        {test.data && (
          <>
            <span>Test event</span>
            <SentResult webhookId={test.data} />
          </>
        )}
      </div>
      {isEditing && (
        <DestinationDialog
          title={`Edit ${title}`}
          action="Save"
          draft={row}
          isPending={update.isPending}
          error={update.error}
          onCancel={() => {
            update.reset();
            editing.close();
          }}
          onSubmit={({ name, url, types, integrations }) =>
            update.mutate(
              { name, url, types, integrations },
              {
                onSuccess: () => {
                  editing.close();
                  notifyDone('Destination saved');
                },
              },
            )
          }
        />
      )}
      {confirm.dialog}
    </li>
  );
}
