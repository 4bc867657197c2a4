import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { IntegrationDetail, ShownIntegrationChange } from '../../api/contract.ts';
import { useUndoIntegrationChange } from '../../api/integrations/integrations-mutations.ts';
import { integrationChangesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { splitScopes } from '../../components/form/ScopesInput.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import classes from './IntegrationSettings.module.css';

/** Number of rows shown before "Show all". */
const SHOWN_FIRST = 5;

interface IntegrationHistoryProps {
  integration: IntegrationDetail;
  /** The form has unsaved changes, which an undo would mix with. */
  isDirty: boolean;
  onUndone: (saved: IntegrationDetail) => void;
}

/** Saved changes of the last 30 days; each can be undone unless a later change would be overwritten. */
export function IntegrationHistory({ integration, isDirty, onUndone }: IntegrationHistoryProps) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(integrationChangesQueryOptions(env, integration.key));
  const undo = useUndoIntegrationChange(integration.key);
  const [isWhole, setWhole] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const nameOf = fieldNames(integration);
  const run = (change: ShownIntegrationChange): void =>
    undo.mutate(change.id, {
      onSuccess: (saved) => {
        notifyDone('Change undone');
        onUndone(saved);
        // The button that had the focus is unmounted.
        heading.current?.focus();
      },
    });
  return (
    <section className="line-above" style={{ paddingTop: 16 }} aria-labelledby="integration-history">
      <h2 id="integration-history" ref={heading} tabIndex={-1}>
        History
      </h2>
      <p className="soft">
        {isDirty
          ? 'Save or discard what you typed before you undo a change.'
          : 'Each change can be undone for 30 days.'}
      </p>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="faint">Nothing was changed in the last 30 days.</p>}
      <ol className={classes['history']} style={{ margin: '8px 0 0' }}>
        {data?.slice(0, isWhole ? undefined : SHOWN_FIRST).map((change) => (
          <li className="grid gap-12 line-below middle" key={change.id}>
            <div className="breaks">
              {change.fields.map((one) => (
                <FieldLine key={one.field} name={nameOf(one.field)} {...one} />
              ))}
              {change.changedSince.length > 0 && (
                <p className="faint">Changed again since: {change.changedSince.map(nameOf).join(', ')}.</p>
              )}
            </div>
            <Group className="soft small" gap={8} wrap="nowrap">
              {change.isUndo && <Tag>Reverted</Tag>}
              <RelativeTime at={change.at} />
            </Group>
            {change.changedSince.length === 0 && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Undo ${change.fields.map(({ field }) => nameOf(field)).join(', ')}`}
                disabled={isDirty}
                loading={undo.isPending && undo.variables === change.id}
                onClick={() => run(change)}
              >
                Undo
              </Button>
            )}
          </li>
        ))}
      </ol>
      {data && data.length > SHOWN_FIRST && !isWhole && (
        <Button variant="subtle" ml={-12} onClick={() => setWhole(true)}>
          Show all {formatNumber(data.length)} changes
        </Button>
      )}
    </section>
  );
}

type FieldLineProps = ShownIntegrationChange['fields'][number] & { name: string };

function FieldLine({ name, field, isSecret, before, after }: FieldLineProps) {
  if (isSecret) return <p>{name} changed</p>;
  if (field === 'config.scopes') return <ScopesLine name={name} before={before ?? ''} after={after ?? ''} />;
  const show = (value: string | null): string =>
    field === 'forwardWebhooks' ? (value === 'true' ? 'on' : 'off') : value || 'empty';
  return (
    <p>
      {name}: <del className="soft">{show(before)}</del> → <ins>{show(after)}</ins>
    </p>
  );
}

function ScopesLine({ name, before, after }: { name: string; before: string; after: string }) {
  const [old, now] = [splitScopes(before), splitScopes(after)];
  const removed = old.filter((scope) => !now.includes(scope));
  const added = now.filter((scope) => !old.includes(scope));
  return (
    <>
      {added.length > 0 && (
        <p>
          {name} added: <ins>{added.join(', ')}</ins>
        </p>
      )}
      {removed.length > 0 && (
        <p>
          {name} removed: <del className="soft">{removed.join(', ')}</del>
        </p>
      )}
      {added.length + removed.length === 0 && <p>{name} in another order</p>}
    </>
  );
}

const OWN_FIELDS: Record<string, string> = {
  key: 'Integration ID',
  displayName: 'Display name',
  forwardWebhooks: 'Forwarding of webhooks',
};

function fieldNames({ fields }: IntegrationDetail): (field: string) => string {
  const titles = new Map(fields.map((field) => [`config.${field.name}`, field.title]));
  return (field) => OWN_FIELDS[field] ?? titles.get(field) ?? field.replace('config.', '');
}
