import { Button, SegmentedControl, UnstyledButton } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { Link } from 'react-router';
import type { IntegrationDetail, TemplateRow } from '../../api/contract.ts';
import { templatesQueryOptions } from '../../api/functions/functions-queries.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './TemplateBrowser.module.css';
import { TemplateDetail } from './TemplateDetail.tsx';
import { chooseTemplates } from './template-choices.ts';

const TYPES = [
  { value: '', label: 'All' },
  { value: 'sync', label: 'Syncs' },
  { value: 'action', label: 'Actions' },
];

/** The templates of the provider: a list, and the details of the chosen one beside it. */
export function TemplateBrowser({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const url = useUrlState();
  const { data, error, refetch } = useQuery(templatesQueryOptions(env, integration.key));
  const search = url.get('search') ?? '';
  const type = url.get('typeFilter') ?? '';
  const shown = useMemo(() => chooseTemplates(data ?? [], { search, type }), [data, search, type]);
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  if (data.length === 0) return <NoTemplates integration={integration} />;
  const named = data.find((one) => one.name === url.get('template') && one.type === url.get('type'));
  const chosen = named ?? shown[0];
  const choose = (row: TemplateRow | undefined): void => url.set({ template: row?.name, type: row?.type });
  return (
    // A narrow window shows one of the two.
    <div className={`flex fills ${classes['browser']}`} data-chosen={named !== undefined || undefined}>
      <nav className={`stack rigid ${classes['side']}`} aria-label="Templates">
        <div
          className={`stack gap-8 rigid line-below ${classes['filters']}`}
          style={{ padding: '12px 16px 12px var(--hp-gutter)' }}
        >
          <SearchBox
            label="Name or description"
            value={search}
            onChange={(text) => url.set({ search: text }, { replace: true })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Type"
            data={TYPES}
            value={type}
            onChange={(next) => url.set({ typeFilter: next })}
          />
        </div>
        {shown.length === 0 ? (
          <EmptyState title="Nothing matches" text="No template matches the search and type.">
            <Button variant="default" onClick={() => url.set({ search: '', typeFilter: '' })}>
              Clear filters
            </Button>
          </EmptyState>
        ) : (
          <TemplateChoices rows={shown} chosen={chosen} onChoose={choose} />
        )}
      </nav>
      <div className={`stack fills ${classes['detail']}`}>
        <Button
          className={classes['back'] ?? ''}
          variant="subtle"
          leftSection={<IconArrowLeft size={16} stroke={1.6} aria-hidden />}
          onClick={() => choose(undefined)}
        >
          All templates
        </Button>
        {chosen && (
          <TemplateDetail
            key={`${chosen.type}/${chosen.name}`}
            row={chosen}
            integration={integration}
            // Added ones move to the end of the list, and the page stays with this one.
            onAdd={() => url.set({ template: chosen.name, type: chosen.type }, { replace: true })}
          />
        )}
      </div>
    </div>
  );
}

interface TemplateChoicesProps {
  rows: TemplateRow[];
  chosen: TemplateRow | undefined;
  onChoose: (row: TemplateRow) => void;
}

/** Arrow keys move between them. */
function TemplateChoices({ rows, chosen, onChoose }: TemplateChoicesProps) {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const focused = document.activeElement;
    if (focused instanceof HTMLElement) buttons[buttons.indexOf(focused) + step]?.focus();
    event.preventDefault();
  };
  return (
    <ul
      className={`scroll ${classes['list']}`}
      style={{ flex: 1, padding: '8px 8px 24px calc(var(--hp-gutter) - 8px)' }}
      ref={list}
      onKeyDown={onKeyDown}
      data-found
    >
      {rows.map((row) => (
        <li key={`${row.type}/${row.name}`}>
          <UnstyledButton
            className="item full"
            aria-current={row === chosen ? 'true' : undefined}
            onClick={() => onChoose(row)}
          >
            <span className={`row ${classes['name']}`}>
              <code className="name cut">{row.name}</code>
              <Tag>{row.type}</Tag>
              {row.isThere && <span className="faint">{row.ownCode === null ? 'Added' : 'Changed'}</span>}
            </span>
            <span className="soft note" style={{ display: 'block', paddingTop: 2 }}>
              {row.description}
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

/** The tab opens without templates only by its address. */
function NoTemplates({ integration: { key, displayName } }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  return (
    <EmptyState
      title="No templates"
      text={
        <>
          Homeport has no templates for {displayName}. Write a function of your own: save a TypeScript file as{' '}
          <code>{`${meta?.functionsFolder ?? ''}/${key}/actions/<name>.ts`}</code> and it appears among the functions.
        </>
      }
    >
      <Button variant="default" component={Link} to={paths.integration(env, key, 'functions')}>
        Open functions
      </Button>
    </EmptyState>
  );
}
